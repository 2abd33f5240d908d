// The API's responses: the fields that the dashboard reads.

export const states = [
  "CREATED",
  "SCHEDULED",
  "QUEUED",
  "RUNNING",
  "WAITING",
  "RETRY",
  "SUCCESS",
  "DEAD",
  "CANCELED",
] as const;
export type State = (typeof states)[number];

export const isTerminal = (state: State) =>
  state === "SUCCESS" || state === "DEAD" || state === "CANCELED";

export interface JobSummary {
  jobId: string;
  jobType: string;
  status: string;
  state: State;
  queue: string;
  priority: number;
  jobKey: string | null;
  idempotencyKey: string | null;
  tags: string[];
  attempt: number;
  failures: number;
  crashes: number;
  retryCount: number;
  maxRetries: number;
  timeoutSeconds: number | null;
  createdAt: string;
  updatedAt: string;
  runAt?: string;
  startedAt?: string;
  completedAt?: string;
  expiresAt: string | null;
  executionMillis: number;
  progress?: number;
  cancelRequested?: boolean;
  lease: { workerId: string; expiresAt: string } | null;
  redriveOf: string | null;
  successorId: string | null;
}

export interface JobError {
  code: string;
  message: string;
  details: unknown;
}

export interface JobDetails extends JobSummary {
  id: number;
  epoch: number;
  version: number;
  firstStartedAt: string | null;
  backoff: { kind: string; baseSeconds: number; maxSeconds: number | null; jitter: number };
  metadata: Record<string, string>;
  error?: JobError;
  errors: (JobError & { attempt: number; at: string })[];
}

export interface Move {
  seq: number;
  from: State | null;
  to: State;
  cause: string;
  at: string;
  epoch: number;
  workerId: string | null;
  detail: string | null;
}

export interface Explanation {
  summary: string;
  reasons: { code: string; detail: string; until?: string }[];
  forecastStartAt: string | null;
}

export interface Queue {
  queue: string;
  paused: boolean;
  maxRunning: number | null;
  depth: Record<State, number>;
  oldestAgeSeconds: number | null;
  rates: { enqueuedPerSecond: number; startedPerSecond: number; finishedPerSecond: number };
}

export interface Worker {
  workerId: string;
  queues: string[];
  jobTypes: string[] | null;
  slots: number;
  host: string | null;
  version: string | null;
  lastSeenAt: string;
  jobs: string[];
}

export interface ErrorGroup {
  jobType: string;
  fingerprint: string;
  count: number;
  first: string;
  last: string;
  sample: string;
  code: string;
  message: string;
}

export interface Counts {
  enqueued: number;
  started: number;
  succeeded: number;
  failed: number;
  dead: number;
  canceled: number;
  waitMillis: number;
  runMillis: number;
}

export interface Series {
  series: { enqueued: number[]; finished: number[]; failed: number[] };
}

export type Span = "1h" | "6h" | "24h";

export interface Stats {
  window: Span;
  minutes: (Counts & { minute: string })[];
  totals: Counts;
  queues: (Counts & Series & { queue: string })[];
  jobTypes: (Counts & Series & { jobType: string })[];
}

export interface About {
  caller: { name: string; role: string; namespace: string; hasToken: boolean };
  version: string;
  store: string;
  durability: "A" | "B" | "C";
  profile: string;
  nodes: { name: string; startedAt: string; lastSeenAt: string }[];
  configuration: { name: string; value: string; source: string }[];
  redact: string[];
}

// One event of the live stream.
export interface JobTransition {
  jobId: string;
  jobType: string;
  queue: string;
  from: State | null;
  to: State;
  cause: string;
  at: string;
}
