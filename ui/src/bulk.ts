// Bulk actions: on the selected jobs, or on all jobs that matched a filter when they were counted.
// Jobs created later are excluded.
import { get, post, Problem, query } from "./api";
import { isTerminal, type JobSummary } from "./types";

export type BulkAction = "cancel" | "redrive";
export type Filter = Record<string, string>;

export interface Matching {
  action: BulkAction;
  filter: Filter;
  asOf: string;
  count: number;
  more: boolean; // the count is a lower bound
}

interface Answer {
  count: number;
  more: boolean;
  matching?: number;
}

const path = (action: BulkAction) => (action === "cancel" ? "jobs/cancel" : "dead/redrive");
const countLimit = 10_000; // per call; `matching` may be larger
const atOnce = 1000;

// The creation time of the newest matching job: the cutoff of the bulk action.
async function newest(action: BulkAction, filter: Filter): Promise<string | null> {
  const { fingerprint: _, ...listed } = filter;
  const list = action === "cancel" ? "jobs" : "dead";
  const page = await get<{ jobs: JobSummary[] }>(list + query({ ...listed, limit: 1 }));
  return page.jobs[0]?.createdAt ?? null;
}

export async function countMatching(action: BulkAction, filter: Filter): Promise<Matching> {
  const asOf = await newest(action, filter);
  if (!asOf) return { action, filter, asOf: "", count: 0, more: false };
  const body = { filter, asOf, limit: countLimit, dryRun: true };
  const answer = await post<Answer>(path(action), body);
  const all = answer.matching ?? answer.count;
  return { action, filter, asOf, count: all, more: answer.more && all <= answer.count };
}

// Reports progress through `report`; stops early when it returns false.
export async function runMatching(
  matching: Matching,
  report: (done: number) => boolean,
): Promise<number> {
  let done = 0;
  const { action, filter, asOf } = matching;
  for (let more = true; more; ) {
    const answer = await post<Answer>(path(action), { filter, asOf, limit: atOnce });
    done += answer.count;
    more = answer.more && answer.count > 0 && report(done);
  }
  report(done);
  return done;
}

export const applies = (action: BulkAction, job: JobSummary): boolean =>
  action === "cancel" ? !isTerminal(job.state) : job.state === "DEAD" || job.state === "CANCELED";

const callsAtOnce = 6;

export interface Outcome {
  done: number;
  refused: number;
}

export async function runPicked(
  action: BulkAction,
  ids: string[],
  report: (done: number) => boolean,
): Promise<Outcome> {
  const outcome = { done: 0, refused: 0 };
  const left = [...ids];
  const work = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      try {
        await post(`jobs/${id}/${action}`);
        outcome.done += 1;
      } catch (problem) {
        // 409: the job changed state meanwhile. Any other problem aborts the action.
        if (!(problem instanceof Problem) || problem.status !== 409) throw problem;
        outcome.refused += 1;
      }
      if (!report(outcome.done + outcome.refused)) left.length = 0;
    }
  };
  await Promise.all(Array.from({ length: callsAtOnce }, work));
  return outcome;
}
