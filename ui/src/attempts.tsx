// Every attempt of a job: worker, duration, outcome, error and log.
import { useState } from "preact/hooks";
import { now } from "./data";
import { millis, moment } from "./format";
import type { JobDetails, Move } from "./types";

export interface Log {
  attempt: number;
  text: string;
}

interface Attempt {
  number: number; // 0: settled by an external call, not by an attempt
  worker: string;
  began: string;
  ended?: Move;
}

const isOwn = (move: Move) => move.workerId !== "external" && move.workerId !== "system";

// Derived from the history; transitions dropped from its middle are missing here too.
function attemptsOf(job: JobDetails, history: Move[]): Attempt[] {
  const attempts: Attempt[] = [];
  for (const move of history) {
    if (move.to === "RUNNING") {
      attempts.push({ number: isOwn(move) ? 1 : 0, worker: move.workerId ?? "", began: move.at });
    } else if ((move.from === "RUNNING" || move.from === "WAITING") && move.to !== "WAITING") {
      const open = attempts.at(-1);
      if (open && !open.ended) open.ended = move;
    }
  }
  let number = job.attempt;
  for (const attempt of attempts.reverse()) if (attempt.number !== 0) attempt.number = number--;
  return attempts;
}

interface AttemptsProps {
  job: JobDetails;
  history: Move[];
  logs: Log[];
}

export function Attempts({ job, history, logs }: AttemptsProps) {
  const attempts = attemptsOf(job, history);
  if (attempts.length === 0) return <p class="muted pad">Not started yet.</p>;
  return (
    <ol class="attempts">
      {attempts.map((attempt, i) => (
        <AttemptRow
          key={attempt.began + attempt.number}
          attempt={attempt}
          job={job}
          logs={logs}
          open={i === 0}
        />
      ))}
    </ol>
  );
}

const words: Record<string, string> = {
  complete: "succeeded",
  fail: "failed",
  timeout: "timed out",
  leaseLost: "lost its lease",
  release: "released",
  cancel: "canceled",
};

interface RowProps {
  attempt: Attempt;
  job: JobDetails;
  logs: Log[];
  open: boolean;
}

function AttemptRow({ attempt, job, logs, open }: RowProps) {
  const { ended } = attempt;
  const error = job.errors.find(
    (each) => each.attempt === attempt.number && ended?.to !== "SUCCESS",
  );
  const log = logs.find((each) => each.attempt === attempt.number);
  const took = (ended ? Date.parse(ended.at) : now.value) - Date.parse(attempt.began);
  const tone = !ended
    ? "running"
    : ended.to === "SUCCESS"
      ? "success"
      : ended.to === "CANCELED"
        ? "canceled"
        : "retry";
  return (
    <li>
      <div class="row">
        <b class="num">{attempt.number === 0 ? "External" : `Attempt ${attempt.number}`}</b>
        <span class={"badge state-" + tone}>
          {ended ? (words[ended.cause] ?? ended.cause) : "running"}
        </span>
        <span class="num">{millis(Math.max(0, took))}</span>
        <span class="spring" />
        <span class="row muted">
          <span class="mono wrap">{attempt.worker}</span>
          <time class="num" dateTime={attempt.began} title={attempt.began}>
            {moment(attempt.began)}
          </time>
        </span>
      </div>
      {error && <ErrorText error={error} open={open} />}
      {log && (
        <details open={open}>
          <summary>Log</summary>
          <pre tabIndex={0}>{log.text}</pre>
        </details>
      )}
    </li>
  );
}

function ErrorText({ error, open }: { error: JobDetails["errors"][number]; open: boolean }) {
  const [first, ...rest] = error.message.split("\n");
  const [isOpen] = useState(open);
  const more = [...rest, ...(error.details ? [JSON.stringify(error.details, null, 2)] : [])].join(
    "\n",
  );
  return (
    <>
      <p class="message">
        <code class="code">{error.code || "ERROR"}</code> {first}
      </p>
      {more.trim() !== "" && (
        <details open={isOpen}>
          <summary>Details</summary>
          <pre tabIndex={0}>{more}</pre>
        </details>
      )}
    </>
  );
}
