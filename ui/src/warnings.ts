// What an operator should look at, found in what the server says anyway.
import { count, millis, rate, seconds } from "./format";
import { href } from "./route";
import type { About, JobSummary, Queue, Worker } from "./types";

export interface Warning {
  text: string;
  more: string;
  link: string;
}

interface Seen {
  queues?: Queue[];
  workers?: Worker[];
  waiting?: JobSummary[];
  about?: About | null;
  commitMillis?: number;
  now: number;
}

const silentAfter = 90_000; // milliseconds
const slowCommit = 100; // milliseconds
const oldBacklog = 60; // seconds

const isAlive = (worker: Worker, now: number) => now - Date.parse(worker.lastSeenAt) < silentAfter;

const takes = (worker: Worker, queue: string, type: string) =>
  worker.queues.includes(queue) && (worker.jobTypes === null || worker.jobTypes.includes(type));

function withoutWorker({ waiting = [], workers, now }: Seen): Warning[] {
  if (!workers) return [];
  const alive = workers.filter((worker) => isAlive(worker, now));
  const lonely = new Map<string, JobSummary>();
  for (const job of waiting) {
    if (!alive.some((worker) => takes(worker, job.queue, job.jobType))) {
      lonely.set(`${job.jobType}\n${job.queue}`, job);
    }
  }
  return [...lonely.values()].map((job) => ({
    text: `No worker takes ${job.jobType} from the queue ${job.queue}`,
    more: "Jobs of this type wait until one does. Start a worker for it.",
    link: href("jobs", { state: "QUEUED", jobType: job.jobType, queue: job.queue }),
  }));
}

function deserted({ queues = [], workers, now }: Seen, told: Warning[]): Warning[] {
  if (!workers) return [];
  const alive = workers.filter((worker) => isAlive(worker, now));
  return queues
    .filter((queue) => queue.depth.QUEUED > 0 && !queue.paused)
    .filter((queue) => !alive.some((worker) => worker.queues.includes(queue.queue)))
    .filter((queue) => !told.some((warning) => warning.text.endsWith(` ${queue.queue}`)))
    .map((queue) => ({
      text: `No worker takes jobs from the queue ${queue.queue}`,
      more: `${count(queue.depth.QUEUED)} wait there.`,
      link: href("jobs", { state: "QUEUED", queue: queue.queue }),
    }));
}

function growing({ queues = [] }: Seen): Warning[] {
  return queues
    .filter((queue) => !queue.paused && (queue.oldestAgeSeconds ?? 0) > oldBacklog)
    .filter(({ rates }) => rates.enqueuedPerSecond > rates.startedPerSecond * 1.05 + 0.02)
    .map((queue) => ({
      text: `The backlog of ${queue.queue} grows`,
      more:
        `${rate(queue.rates.enqueuedPerSecond)} come, ` +
        `${rate(queue.rates.startedPerSecond)} start; ` +
        `the oldest has waited ${seconds(queue.oldestAgeSeconds ?? 0)}.`,
      link: href("queues"),
    }));
}

function paused({ queues = [] }: Seen): Warning[] {
  return queues
    .filter((queue) => queue.paused && queue.depth.QUEUED > 0)
    .map((queue) => ({
      text: `The queue ${queue.queue} is paused`,
      more: `${count(queue.depth.QUEUED)} jobs wait for it to be resumed.`,
      link: href("queues"),
    }));
}

function store({ about, commitMillis = 0 }: Seen): Warning[] {
  const found: Warning[] = [];
  if (commitMillis > slowCommit) {
    found.push({
      text: "The store is slow",
      more: `A commit took ${millis(commitMillis)} on average since the last look.`,
      link: href("about"),
    });
  }
  if (about && about.durability !== "A") {
    found.push({
      text: `Durability is class ${about.durability}`,
      more: "What was accepted can be lost when the machine or the store's server dies.",
      link: href("about"),
    });
  }
  return found;
}

export function warnings(seen: Seen): Warning[] {
  const lonely = withoutWorker(seen);
  return [...store(seen), ...lonely, ...deserted(seen, lonely), ...growing(seen), ...paused(seen)];
}
