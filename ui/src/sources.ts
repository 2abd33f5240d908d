// What several views ask for, each asked once and refreshed as things happen.
import { get, getText, query } from "./api";
import { useData } from "./data";
import type { Told } from "./live";
import type { ErrorGroup, JobSummary, Queue, Span, Stats, Worker } from "./types";

const anything = (told: Told) => told.kind !== "reset";

export const useQueues = () =>
  useData("queues", async () => (await get<{ queues: Queue[] }>("queues")).queues, {
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
    on: (told) =>
      told.kind === "moves" && told.moves.some((move) => move.to === "RETRY" || move.to === "DEAD"),
    atMost: 3000,
  });

export const useStats = (window: Span) =>
  useData("stats" + window, () => get<Stats>("stats" + query({ window })), { every: 5000 });

export interface Page {
  jobs: JobSummary[];
  nextCursor: string | null;
}

// The newest jobs that wait to be claimed, to see whether somebody could take them.
export const useWaiting = () =>
  useData("waiting", async () => (await get<Page>("jobs?state=QUEUED&limit=200")).jobs, {
    every: 15_000,
  });

export interface Pulse {
  commits: number; // so far
  seconds: number; // that they took, together
  at: number;
}

// How long the store takes for a commit, from the server's own measurements: two readings tell.
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
