// Warnings for operators, derived from data the dashboard loads anyway.
import { millis, plural, rate, seconds } from "./format";
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
  const unserved = new Map<string, JobSummary>();
  for (const job of waiting) {
    if (!alive.some((worker) => takes(worker, job.queue, job.jobType))) {
      unserved.set(`${job.jobType}\n${job.queue}`, job);
    }
  }
  return [...unserved.values()].map((job) => ({
    text: `No worker for ${job.jobType} in queue ${job.queue}`,
    more: "These jobs wait until a worker for this type starts.",
    link: href("jobs", { state: "QUEUED", jobType: job.jobType, queue: job.queue }),
  }));
}

function queuesWithoutWorker({ queues = [], workers, now }: Seen, shown: Warning[]): Warning[] {
  if (!workers) return [];
  const alive = workers.filter((worker) => isAlive(worker, now));
  return queues
    .filter((queue) => queue.depth.QUEUED > 0 && !queue.paused)
    .filter((queue) => !alive.some((worker) => worker.queues.includes(queue.queue)))
    .filter((queue) => !shown.some((warning) => warning.text.endsWith(` ${queue.queue}`)))
    .map((queue) => ({
      text: `No worker for queue ${queue.queue}`,
      more: `${plural(queue.depth.QUEUED, "job")} waiting.`,
      link: href("jobs", { state: "QUEUED", queue: queue.queue }),
    }));
}

function growing({ queues = [] }: Seen): Warning[] {
  return queues
    .filter((queue) => !queue.paused && (queue.oldestAgeSeconds ?? 0) > oldBacklog)
    .filter(({ rates }) => rates.enqueuedPerSecond > rates.startedPerSecond * 1.05 + 0.02)
    .map((queue) => ({
      text: `Backlog of queue ${queue.queue} is growing`,
      more:
        `${rate(queue.rates.enqueuedPerSecond)} enqueued, ` +
        `${rate(queue.rates.startedPerSecond)} started; ` +
        `the oldest job has waited ${seconds(queue.oldestAgeSeconds ?? 0)}.`,
      link: href("queues"),
    }));
}

function paused({ queues = [] }: Seen): Warning[] {
  return queues
    .filter((queue) => queue.paused && queue.depth.QUEUED > 0)
    .map((queue) => ({
      text: `Queue ${queue.queue} is paused`,
      more: `${plural(queue.depth.QUEUED, "job")} waiting for it to be resumed.`,
      link: href("queues"),
    }));
}

function store({ about, commitMillis = 0 }: Seen): Warning[] {
  const found: Warning[] = [];
  if (commitMillis > slowCommit) {
    found.push({
      text: "The store is slow",
      more: `Commits took ${millis(commitMillis)} on average since the last check.`,
      link: href("about"),
    });
  }
  if (about && about.durability !== "A") {
    found.push({
      text: `Durability is class ${about.durability}`,
      more: "Accepted jobs can be lost if the machine or the store's server crashes.",
      link: href("about"),
    });
  }
  return found;
}

export function warnings(seen: Seen): Warning[] {
  const unserved = withoutWorker(seen);
  return [
    ...store(seen),
    ...unserved,
    ...queuesWithoutWorker(seen, unserved),
    ...growing(seen),
    ...paused(seen),
  ];
}
