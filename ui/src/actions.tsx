// The actions on one job: promote, cancel, redrive, edit, duplicate.
import { useState } from "preact/hooks";
import { mayAct, post } from "./api";
import { readJson } from "./json";
import { ask, say, sayProblem } from "./notice";
import { go } from "./route";
import { isTerminal, type JobDetails } from "./types";
import { atOnce, startOf, type When, WhenForm } from "./when";

interface Payload {
  job: JobDetails;
  payload: string; // JSON, as stored
  again: () => void;
}

interface JobAnswer {
  jobId: string;
  status: string;
}

export function Actions({ job, payload, again }: Payload) {
  if (!mayAct()) return null;
  const path = `jobs/${job.jobId}`;
  const live = !isTerminal(job.state);
  const redrivable = (job.state === "DEAD" || job.state === "CANCELED") && !job.successorId;
  const promotable = job.state === "SCHEDULED" || job.state === "RETRY";
  const running = job.state === "RUNNING" || job.state === "WAITING";

  const promote = () =>
    post(`${path}/promote`)
      .then(() => say("Job promoted"))
      .catch(sayProblem)
      .finally(again);
  const redrive = () => {
    const when = atOnce();
    ask({
      title: "Redrive this job?",
      body: (
        <>
          <p>Creates a new job with the same payload. This job does not change.</p>
          <WhenForm when={when} />
        </>
      ),
      yes: "Redrive",
      act: async () =>
        follow(await post<JobAnswer>(`${path}/redrive`, startOf(when)), "Job redriven"),
    });
  };
  return (
    <div class="actions">
      {promotable && <button onClick={promote}>Run now</button>}
      {live && <button onClick={() => cancel(path, running, again)}>Cancel</button>}
      {redrivable && (
        <button class="primary" onClick={redrive}>
          Redrive
        </button>
      )}
      {redrivable && (
        <button onClick={() => edit("Edit and redrive", job, payload, `${path}/redrive`)}>
          Edit and redrive
        </button>
      )}
      <button onClick={() => edit("Duplicate", job, payload, "jobs")}>Duplicate</button>
    </div>
  );
}

function cancel(path: string, running: boolean, again: () => void): void {
  let force = false;
  ask({
    title: "Cancel this job?",
    body: running ? (
      <>
        <p>The worker is asked to stop at its next heartbeat.</p>
        <label class="check">
          <input type="checkbox" onChange={(event) => (force = event.currentTarget.checked)} />{" "}
          Force: cancel now and ignore the worker's outcome
        </label>
      </>
    ) : (
      <p>The job will not run.</p>
    ),
    yes: "Cancel job",
    danger: true,
    act: async () => {
      const answer = await post<JobAnswer>(`${path}/cancel`, { force });
      say(answer.status === "CANCELED" ? "Job canceled" : "Cancellation requested");
      again();
    },
  });
}

function follow(answer: JobAnswer, done: string): void {
  say(done);
  go("jobs", {}, answer.jobId);
}

interface Draft {
  payload: string;
  queue: string;
  priority: string;
  maxRetries: string;
  when: When;
}

// Sends the payload text unchanged: parsing and serializing it would round large numbers.
function bodyOf(draft: Draft, rest: Record<string, unknown>): string {
  readJson(draft.payload);
  const others = {
    ...rest,
    ...startOf(draft.when),
    queue: draft.queue,
    priority: Number(draft.priority),
    maxRetries: Number(draft.maxRetries),
  };
  return `${JSON.stringify(others).slice(0, -1)},"payload":${draft.payload}}`;
}

function edit(title: string, job: JobDetails, payload: string, path: string): void {
  const draft: Draft = {
    payload: pretty(payload),
    queue: job.queue,
    priority: String(job.priority),
    maxRetries: String(job.maxRetries),
    when: atOnce(),
  };
  // The server copies these fields on a redrive.
  const rest =
    path === "jobs"
      ? {
          jobType: job.jobType,
          tags: job.tags,
          metadata: job.metadata,
          ...(job.timeoutSeconds ? { timeoutSeconds: job.timeoutSeconds } : {}),
        }
      : {};
  ask({
    title,
    wide: true,
    body: <DraftForm draft={draft} />,
    yes: title,
    act: async () =>
      follow(
        await post<JobAnswer>(path, bodyOf(draft, rest)),
        path === "jobs" ? "Job enqueued" : "Job redriven",
      ),
  });
}

// Indents the payload only if parsing it is lossless: the browser rounds large numbers.
function pretty(payload: string): string {
  if (payload.length > 100_000) return payload;
  const value: unknown = JSON.parse(payload);
  const same = JSON.stringify(value) === payload;
  return same ? JSON.stringify(value, null, 2) : payload;
}

function DraftForm({ draft }: { draft: Draft }) {
  const [fault, setFault] = useState("");
  const check = (text: string) => {
    draft.payload = text;
    try {
      readJson(text);
      setFault("");
    } catch (error) {
      setFault(`Invalid JSON: ${(error as Error).message}`);
    }
  };
  const field = (name: "queue" | "priority" | "maxRetries", label: string, type: string) => (
    <label>
      <span>{label}</span>
      <input
        type={type}
        value={draft[name]}
        onInput={(event) => (draft[name] = event.currentTarget.value)}
      />
    </label>
  );
  return (
    <div class="draft">
      <label>
        <span>Payload</span>
        <textarea
          rows={14}
          spellcheck={false}
          defaultValue={draft.payload}
          aria-invalid={fault !== ""}
          onInput={(event) => check(event.currentTarget.value)}
        />
      </label>
      <p class="problem">{fault}</p>
      <div class="fields">
        {field("queue", "Queue", "text")}
        {field("priority", "Priority", "number")}
        {field("maxRetries", "Retries", "number")}
      </div>
      <WhenForm when={draft.when} />
    </div>
  );
}
