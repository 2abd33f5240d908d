import { useMemo } from "preact/hooks";
import { Actions } from "../actions";
import { get, getText, Problem } from "../api";
import { Attempts, type Log } from "../attempts";
import { useData } from "../data";
import { Diagram } from "../diagram";
import { exact, millis, moment, seconds } from "../format";
import { member, readJson, source } from "../json";
import type { LiveEvent } from "../live";
import { copy } from "../notice";
import { Ago, Badge, Empty, JobLink, Panel, Skeleton } from "../pieces";
import { href } from "../route";
import { type Explanation, isTerminal, type JobDetails, type Move } from "../types";
import { JsonViewer } from "../viewer";
import { StateInWords, WordsChooser } from "../words";

// The parsed response, with the text of the payload, result and checkpoint as stored.
interface Record {
  job: JobDetails;
  payload: string;
  result: string;
  checkpoint: string;
}

function read(text: string): Record {
  const tree = readJson(text);
  const part = (name: string) => {
    const node = member(tree, name);
    return node ? source(text, node) : "null";
  };
  return {
    job: JSON.parse(text) as JobDetails,
    payload: part("payload"),
    result: part("result"),
    checkpoint: part("checkpoint"),
  };
}

const hasEnded = (text: unknown) => isTerminal((JSON.parse(text as string) as JobDetails).state);

export function JobView({ id }: { id: string }) {
  const path = `jobs/${encodeURIComponent(id)}`;
  const on = (event: LiveEvent) =>
    event.kind === "moves" && event.moves.some((move) => move.jobId === id);
  const own = { on, atMost: 500, every: 5000 };
  const details = useData(`${path}/details`, () => getText(`${path}/details`), {
    ...own,
    settled: hasEnded,
  });
  const history = useData(`${path}/history`, () => get<JobHistory>(`${path}/history`), own);
  const logs = useData(`${path}/logs`, () => get<{ logs: Log[] }>(`${path}/logs`), own);
  const text = details.value;
  const record = useMemo(() => (text === undefined ? undefined : read(text)), [text]);
  const again = () => {
    details.again();
    history.again();
    logs.again();
  };

  if (details.problem?.status === 404) return <Missing id={id} />;
  if (!record) {
    if (details.problem) return <LoadError problem={details.problem} again={again} />;
    return <Skeleton lines={14} />;
  }
  const { job } = record;
  return (
    <>
      <Heading job={job} />
      {details.problem && (
        <p class="trouble" role="alert">
          {details.problem.message} Showing the last known data.
        </p>
      )}
      <Actions job={job} payload={record.payload} again={again} />
      <Explain job={job} />
      <Panel data={history} lines={6} class="states">
        {(known) => <Diagram moves={known.history} state={job.state} />}
      </Panel>
      <div class="columns">
        <Panel title="Attempts" data={history}>
          {(known) => <Attempts job={job} history={known.history} logs={logs.value?.logs ?? []} />}
        </Panel>
        <Facts job={job} />
      </div>
      <Bodies record={record} />
      <Panel title="History" data={history}>
        {(known) => <History moves={known.history} dropped={known.dropped} />}
      </Panel>
    </>
  );
}

interface JobHistory {
  history: Move[];
  dropped: number;
}

function Missing({ id }: { id: string }) {
  return (
    <section class="panel">
      <h1 class="unseen">Job</h1>
      <Empty title="Job not found">
        {id} does not exist, or was pruned after its retention period.{" "}
        <a href={href("jobs")}>All jobs</a>
      </Empty>
    </section>
  );
}

function LoadError({ problem, again }: { problem: Problem; again: () => void }) {
  return (
    <section class="panel">
      <h1 class="unseen">Job</h1>
      <Empty title="Could not load this job">
        {problem.message} <button onClick={again}>Try again</button>
      </Empty>
    </section>
  );
}

function Heading({ job }: { job: JobDetails }) {
  return (
    <div class="heading job">
      <h1>{job.jobType}</h1>
      <Badge state={job.state} />
      <StateInWords job={job} />
      {job.cancelRequested && !isTerminal(job.state) && <span class="muted">cancel requested</span>}
      {job.progress !== undefined && job.state === "RUNNING" && (
        <progress max="100" value={job.progress} aria-label="Progress" />
      )}
      <span class="spring" />
      <WordsChooser />
      <button
        class="quiet mono"
        title="Copy the job ID"
        onClick={() => copy(job.jobId, "Job ID copied")}
      >
        {job.jobId}
      </button>
    </div>
  );
}

function Explain({ job }: { job: JobDetails }) {
  const path = `jobs/${job.jobId}/explain`;
  const explanation = useData(`${path}#${job.version}`, () => get<Explanation>(path), {
    every: 5000,
  });
  const known = explanation.value;
  return (
    <p class="explain">
      {known ? known.summary : explanation.problem ? "Explanation unavailable." : "…"}
      {known?.forecastStartAt && (
        <>
          {" "}
          Expected to start <Ago at={known.forecastStartAt} />.
        </>
      )}
      {job.redriveOf && (
        <>
          {" "}
          Redrive of <JobLink id={job.redriveOf} />.
        </>
      )}
      {job.successorId && (
        <>
          {" "}
          Redriven as <JobLink id={job.successorId} />.
        </>
      )}
    </p>
  );
}

function Facts({ job }: { job: JobDetails }) {
  const facts: [string, preact.ComponentChildren][] = [
    ["Queue", <a href={href("jobs", { queue: job.queue })}>{job.queue}</a>],
    ["Priority", job.priority],
    ["Attempts", `${job.attempt} (${job.failures} failed, limit ${job.maxRetries + 1})`],
    ["Lost leases", job.crashes],
    ["Run time", millis(job.executionMillis)],
    ["Timeout", job.timeoutSeconds === null ? "none" : seconds(job.timeoutSeconds)],
    ["Back-off", backoffText(job)],
    ["Created", moment(job.createdAt)],
    ["Run at", job.runAt && moment(job.runAt)],
    ["Started", job.startedAt && moment(job.startedAt)],
    ["Ended", job.completedAt && moment(job.completedAt)],
    ["Expires", job.expiresAt && moment(job.expiresAt)],
    ["Worker", job.lease && <span class="mono">{job.lease.workerId}</span>],
    ["Lease expires", job.lease && <Ago at={job.lease.expiresAt} />],
    ["Key", job.jobKey],
    ["Idempotency key", job.idempotencyKey],
    [
      "Tags",
      job.tags.length > 0 &&
        job.tags.map((tag) => (
          <a class="tag" href={href("jobs", { tag })}>
            {tag}
          </a>
        )),
    ],
    ["Redrive of", job.redriveOf && <JobLink id={job.redriveOf} />],
    ["Successor", job.successorId && <JobLink id={job.successorId} />],
    ...Object.entries(job.metadata).map(([name, value]): [string, string] => [name, value]),
  ];
  return (
    <section class="panel">
      <header>
        <h2>Properties</h2>
      </header>
      <dl class="facts">
        {facts
          .filter(([, value]) => value !== null && value !== undefined && value !== false)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}

function backoffText({ backoff }: JobDetails): string {
  if (backoff.kind === "none") return "none";
  const base = seconds(backoff.baseSeconds);
  return backoff.kind === "fixed" ? `${base}, fixed` : `${base}, exponential`;
}

function Bodies({ record }: { record: Record }) {
  return (
    <div class="columns">
      <JsonViewer title="Payload" text={record.payload} />
      {record.job.state === "SUCCESS" && <JsonViewer title="Result" text={record.result} />}
      {record.checkpoint !== "null" && <JsonViewer title="Checkpoint" text={record.checkpoint} />}
    </div>
  );
}

function History({ moves, dropped }: { moves: Move[]; dropped: number }) {
  return (
    <div class="scroll">
      <table class="stacked">
        <thead>
          <tr>
            <th class="num">#</th>
            <th>To</th>
            <th>Cause</th>
            <th>Time</th>
            <th>Worker</th>
            <th>Detail</th>
          </tr>
        </thead>
        <tbody>
          {moves.map((move) => (
            <tr key={move.seq}>
              <td class="num" data-label="#">
                {move.seq}
              </td>
              <td data-label="To">
                <Badge state={move.to} />
              </td>
              <td data-label="Cause">{move.cause}</td>
              <td data-label="Time">
                <time title={move.at}>{exact(move.at)}</time>
              </td>
              <td data-label="Worker" class="mono">
                {move.workerId ?? ""}
              </td>
              <td data-label="Detail">{move.detail ?? ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {dropped > 0 && (
        <p class="muted pad">{dropped} transitions in the middle of the history were dropped.</p>
      )}
    </div>
  );
}
