// The columns of a job list, and which of them are shown.
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { now } from "./data";
import { millis } from "./format";
import { Ago, Badge } from "./pieces";
import { href } from "./route";
import type { JobSummary } from "./types";

export interface Column {
  name: string;
  label: string;
  numeric?: boolean;
  cell: (job: JobSummary) => ComponentChildren;
}

// For a running job, includes the current attempt.
const ranFor = (job: JobSummary): number =>
  job.state === "RUNNING" && job.startedAt
    ? job.executionMillis + Math.max(0, now.value - Date.parse(job.startedAt))
    : job.executionMillis;

const text = (value: string | null | undefined) => value ?? <span class="muted">–</span>;

export const columns: Column[] = [
  { name: "state", label: "State", cell: (job) => <State job={job} /> },
  {
    name: "jobType",
    label: "Type",
    cell: (job) => (
      <a class="strong" href={href("jobs", {}, job.jobId)}>
        {job.jobType}
      </a>
    ),
  },
  {
    name: "jobId",
    label: "Job",
    cell: (job) => <span class="mono muted">…{job.jobId.slice(-12)}</span>,
  },
  { name: "queue", label: "Queue", cell: (job) => job.queue },
  { name: "priority", label: "Priority", numeric: true, cell: (job) => job.priority },
  {
    name: "attempt",
    label: "Attempt",
    numeric: true,
    cell: (job) => `${job.attempt} of ${job.maxRetries + 1}`,
  },
  { name: "createdAt", label: "Created", cell: (job) => <Ago at={job.createdAt} /> },
  { name: "updatedAt", label: "Updated", cell: (job) => <Ago at={job.updatedAt} /> },
  { name: "runAt", label: "Run at", cell: (job) => <Ago at={job.runAt} /> },
  { name: "startedAt", label: "Started", cell: (job) => <Ago at={job.startedAt} /> },
  { name: "completedAt", label: "Ended", cell: (job) => <Ago at={job.completedAt} /> },
  {
    name: "executionMillis",
    label: "Run time",
    numeric: true,
    cell: (job) => (job.attempt > 0 ? millis(ranFor(job)) : <span class="muted">–</span>),
  },
  { name: "jobKey", label: "Key", cell: (job) => text(job.jobKey) },
  { name: "idempotencyKey", label: "Idempotency key", cell: (job) => text(job.idempotencyKey) },
  {
    name: "tags",
    label: "Tags",
    cell: (job) => job.tags.map((tag) => <span class="tag">{tag}</span>),
  },
  { name: "worker", label: "Worker", cell: (job) => text(job.lease?.workerId) },
];

function State({ job }: { job: JobSummary }) {
  return (
    <>
      <Badge state={job.state} />
      {job.progress !== undefined && job.state === "RUNNING" && (
        <progress max="100" value={job.progress} aria-label="Progress" />
      )}
      {job.cancelRequested && <span class="muted"> canceling</span>}
    </>
  );
}

const usual = [
  "state",
  "jobType",
  "jobId",
  "queue",
  "attempt",
  "createdAt",
  "executionMillis",
  "tags",
];

function stored(): string[] {
  try {
    const names: unknown = JSON.parse(localStorage.getItem("longshore-columns") ?? "null");
    if (Array.isArray(names))
      return names.filter((name) => columns.some((each) => each.name === name));
  } catch {
    // An unreadable value counts as none.
  }
  return usual;
}

export const chosen = signal<string[]>(stored());

export function choose(name: string, shown: boolean): void {
  const names = shown ? [...chosen.value, name] : chosen.value.filter((each) => each !== name);
  chosen.value = columns.map((each) => each.name).filter((each) => names.includes(each));
  localStorage.setItem("longshore-columns", JSON.stringify(chosen.value));
}

export function ColumnMenu() {
  return (
    <details class="menu">
      <summary>Columns</summary>
      <fieldset>
        <legend class="unseen">Columns to show</legend>
        {columns.map((column) => (
          <label key={column.name}>
            <input
              type="checkbox"
              checked={chosen.value.includes(column.name)}
              disabled={column.name === "jobType"}
              onChange={(event) => choose(column.name, event.currentTarget.checked)}
            />
            {column.label}
          </label>
        ))}
      </fieldset>
    </details>
  );
}
