// A page of jobs with a stable order: rows are updated in place, and new jobs are only counted
// until the user refreshes.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { get, mayAct, query } from "./api";
import { BulkBar } from "./bulkbar";
import { chosen, ColumnMenu, columns } from "./columns";
import { useData } from "./data";
import { filterOf } from "./filter";
import { plural } from "./format";
import { useKeys } from "./keys";
import { listen } from "./live";
import { Empty, Panel } from "./pieces";
import { go, requery, route } from "./route";
import type { Page } from "./sources";
import type { JobTransition, JobSummary } from "./types";

const never = 2 ** 30;
const perPage = 50;

interface ListProps {
  source: "jobs" | "dead";
  empty: preact.ComponentChildren;
}

export function JobList({ source, empty }: ListProps) {
  const parameters = route.value.query;
  const [openedAt, setOpenedAt] = useState(Date.now());
  const filter = filterOf(parameters, openedAt);
  const address = source + query({ ...filter, limit: perPage, cursor: parameters.cursor });
  const data = useData(address, () => get<Page>(address), { every: never });
  const moves = useMoves(address, filter, data.value?.jobs ?? []);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [at, setAt] = useState(-1);

  // A layout effect, so that it does not undo the first key pressed in the new list.
  useLayoutEffect(() => {
    setPicked(new Set());
    setAt(-1);
  }, [address]);

  const jobs = (data.value?.jobs ?? []).map((job) =>
    (moves.since.get(job.jobId) ?? []).reduce(moved, job),
  );
  const refresh = () => {
    moves.forget();
    setOpenedAt(Date.now());
    if (parameters.cursor) requery({ cursor: undefined });
    else data.again();
  };
  const pick = (id: string) => {
    const next = new Set(picked);
    if (!next.delete(id)) next.add(id);
    setPicked(next);
  };
  const step = (by: number) => {
    const next = Math.max(0, Math.min(jobs.length - 1, at + by));
    setAt(next);
    document.querySelectorAll(".jobs tbody tr")[next]?.scrollIntoView({ block: "nearest" });
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    x: () => mayAct() && jobs[at] && pick(jobs[at].jobId),
    Enter: () => jobs[at] && go("jobs", {}, jobs[at].jobId),
    r: refresh,
    Escape: () => setPicked(new Set()),
  });

  return (
    <>
      <Panel data={data} lines={12}>
        {(page) => (
          <>
            <div class="toolbar">
              <button class="quiet" onClick={refresh}>
                {moves.fresh > 0 && !parameters.cursor
                  ? `Show ${plural(moves.fresh, "new job")}`
                  : "Refresh"}
              </button>
              <span class="spring" />
              <ColumnMenu />
            </div>
            {page.jobs.length === 0 ? (
              empty
            ) : (
              <Rows jobs={jobs} at={at} picked={picked} pick={pick} pickAll={setPicked} />
            )}
            <Pages next={page.nextCursor} />
          </>
        )}
      </Panel>
      {mayAct() && picked.size > 0 && (
        <BulkBar
          source={source}
          filter={filter}
          jobs={jobs}
          picked={picked}
          clear={() => setPicked(new Set())}
        />
      )}
    </>
  );
}

// The transitions since the page was loaded.
function useMoves(address: string, filter: Record<string, string>, jobs: JobSummary[]) {
  const [since, setSince] = useState<ReadonlyMap<string, JobTransition[]>>(new Map());
  const [fresh, setFresh] = useState(0);
  const shown = useRef(new Set<string>());
  shown.current = new Set(jobs.map((job) => job.jobId));
  const forget = () => {
    setSince(new Map());
    setFresh(0);
  };
  useEffect(() => {
    forget();
    return listen((event) => {
      if (event.kind !== "moves") return;
      const mine = event.moves.filter((move) => shown.current.has(move.jobId));
      if (mine.length > 0) setSince((old) => added(old, mine));
      const made = event.moves.filter((move) => move.from === null && mayMatch(move, filter));
      if (made.length > 0) setFresh((old) => old + made.length);
    });
  }, [address]);
  return { since, fresh, forget };
}

function added(
  old: ReadonlyMap<string, JobTransition[]>,
  moves: JobTransition[],
): ReadonlyMap<string, JobTransition[]> {
  const next = new Map(old);
  for (const move of moves) next.set(move.jobId, [...(next.get(move.jobId) ?? []), move]);
  return next;
}

const mayMatch = (move: JobTransition, filter: Record<string, string>) =>
  (!filter.jobType || filter.jobType === move.jobType) &&
  (!filter.queue || filter.queue === move.queue) &&
  !filter.tag &&
  !filter.jobKey &&
  !filter.error &&
  !filter.idempotencyKey &&
  (!filter.state || filter.state === "QUEUED" || filter.state === "CREATED");

// The job after a transition that is newer than the page.
function moved(job: JobSummary, move: JobTransition): JobSummary {
  if (move.at < job.updatedAt || move.to === job.state) return job;
  const next = { ...job, state: move.to, updatedAt: move.at };
  if (move.to === "RUNNING") return { ...next, attempt: job.attempt + 1, startedAt: move.at };
  if (job.state === "RUNNING" && job.startedAt) {
    next.executionMillis += Date.parse(move.at) - Date.parse(job.startedAt);
  }
  return next;
}

interface RowsProps {
  jobs: JobSummary[];
  at: number;
  picked: ReadonlySet<string>;
  pick: (id: string) => void;
  pickAll: (ids: ReadonlySet<string>) => void;
}

function Rows({ jobs, at, picked, pick, pickAll }: RowsProps) {
  const shown = columns.filter((column) => chosen.value.includes(column.name));
  const all = jobs.every((job) => picked.has(job.jobId));
  const act = mayAct();
  return (
    <div class="scroll">
      <table class="jobs stacked">
        <thead>
          <tr>
            {act && (
              <th class="check">
                <input
                  type="checkbox"
                  aria-label="Select this page"
                  checked={all}
                  onChange={() => pickAll(all ? new Set() : new Set(jobs.map((job) => job.jobId)))}
                />
              </th>
            )}
            {shown.map((column) => (
              <th key={column.name} class={column.numeric ? "num" : ""}>
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {jobs.map((job, i) => (
            <tr
              key={job.jobId}
              data-job={job.jobId}
              class={(i === at ? "at " : "") + (picked.has(job.jobId) ? "picked" : "")}
              aria-current={i === at ? "true" : undefined}
              onClick={(event) => {
                if (!(event.target as HTMLElement).closest("a, input, button"))
                  go("jobs", {}, job.jobId);
              }}
            >
              {act && (
                <td class="check">
                  <input
                    type="checkbox"
                    aria-label={`Select ${job.jobId}`}
                    checked={picked.has(job.jobId)}
                    onChange={() => pick(job.jobId)}
                  />
                </td>
              )}
              {shown.map((column) => (
                <td
                  key={column.name}
                  data-label={column.label}
                  data-column={column.name}
                  class={column.numeric ? "num" : ""}
                >
                  {column.cell(job)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Pages({ next }: { next: string | null }) {
  const { cursor } = route.value.query;
  if (!cursor && !next) return null;
  return (
    <nav class="pages" aria-label="Pages">
      <button disabled={!cursor} onClick={() => requery({ cursor: undefined })}>
        Newest
      </button>
      <button disabled={!cursor} onClick={() => history.back()}>
        ← Newer
      </button>
      <button disabled={!next} onClick={() => requery({ cursor: next ?? undefined })}>
        Older →
      </button>
    </nav>
  );
}

export function NoJobs({ filtered }: { filtered: boolean }) {
  if (filtered) return <Empty title="No matching jobs">Try removing a filter.</Empty>;
  return (
    <Empty title="No jobs yet">
      Enqueue one:{" "}
      <code>
        longshore enqueue GREET --payload '{"{"}"name": "Ada"{"}"}'
      </code>{" "}
      or <code>POST /jobs</code>.
    </Empty>
  );
}
