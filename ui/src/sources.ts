// Data shared by several views, loaded once and refreshed on events.
import { get, getText, query } from "./api";
import { useData } from "./data";
import type { LiveEvent } from "./live";
import type { ErrorGroup, JobSummary, Queue, Span, Stats, Worker } from "./types";

const anything = (event: LiveEvent) => event.kind !== "reset";

// All of them: a page has at most 500.
async function allQueues(): Promise<Queue[]> {
  const all: Queue[] = [];
  for (let path = "queues"; path !== ""; ) {
    const page = await get<{ queues: Queue[]; nextCursor: string | null }>(path);
    all.push(...page.queues);
    path = page.nextCursor === null ? "" : `queues?cursor=${page.nextCursor}`;
  }
  return all;
}

export const useQueues = () =>
  useData("queues", allQueues, {
    on: anything,
    atMost: 2000,
  });

export const useWorkers = () =>
  useData("workers", async () => (await get<{ workers: Worker[] }>("workers")).workers, {
    every: 5000,
    on: anything,
    atMost: 4000,
  });

export const useErrors = () =>
  useData("errors", async () => (await get<{ errors: ErrorGroup[] }>("errors")).errors, {
    on: (event) =>
      event.kind === "moves" &&
      event.moves.some((move) => move.to === "RETRY" || move.to === "DEAD"),
    atMost: 3000,
  });

export const useStats = (window: Span) =>
  useData("stats" + window, () => get<Stats>("stats" + query({ window })), { every: 5000 });

export interface Page {
  jobs: JobSummary[];
  nextCursor: string | null;
}

// The newest queued jobs, to check whether a worker can claim them.
export const useWaiting = () =>
  useData("waiting", async () => (await get<Page>("jobs?state=QUEUED&limit=200")).jobs, {
    every: 15_000,
  });

export interface Pulse {
  commits: number; // in total
  seconds: number; // spent on them
  at: number;
}

// The mean commit latency between two readings of the server's metrics.
let before: Pulse | null = null;
export const useCommitMillis = () =>
  useData(
    "pulse",
    async () => {
      const text = await getText("metrics");
      const latest: Pulse = {
        commits: figure(text, "longshore_commit_delay_seconds_count"),
        seconds: figure(text, "longshore_commit_delay_seconds_sum"),
        at: Date.now(),
      };
      const since = before ?? { commits: 0, seconds: 0, at: 0 };
      before = latest;
      const commits = latest.commits - since.commits;
      return commits > 0 ? ((latest.seconds - since.seconds) * 1000) / commits : 0;
    },
    { every: 15_000 },
  );

function figure(text: string, name: string): number {
  const line = text.split("\n").find((each) => each.startsWith(name + " "));
  return line ? Number(line.slice(name.length + 1)) : 0;
}
