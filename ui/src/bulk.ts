// One thing done to many jobs: to those that were picked, or to all that a filter found at one
// moment. Jobs that come later are left out.
import { get, post, Problem, query } from "./api";
import { isTerminal, type JobSummary } from "./types";

export type Deed = "cancel" | "redrive";
export type Filter = Record<string, string>;

export interface Matching {
  deed: Deed;
  filter: Filter;
  asOf: string;
  count: number;
  more: boolean; // than were counted
}

interface Answer {
  count: number;
  more: boolean;
  matching?: number;
}

const path = (deed: Deed) => (deed === "cancel" ? "jobs/cancel" : "dead/redrive");
const countedMost = 10_000; // that one call names; the server counts on
const atOnce = 1000;

// The newest job that exists now is the last one meant.
async function newest(deed: Deed, filter: Filter): Promise<string | null> {
  const { fingerprint: _, ...listed } = filter;
  const list = deed === "cancel" ? "jobs" : "dead";
  const page = await get<{ jobs: JobSummary[] }>(list + query({ ...listed, limit: 1 }));
  return page.jobs[0]?.createdAt ?? null;
}

export async function countMatching(deed: Deed, filter: Filter): Promise<Matching> {
  const asOf = await newest(deed, filter);
  if (!asOf) return { deed, filter, asOf: "", count: 0, more: false };
  const body = { filter, asOf, limit: countedMost, dryRun: true };
  const answer = await post<Answer>(path(deed), body);
  const all = answer.matching ?? answer.count;
  return { deed, filter, asOf, count: all, more: answer.more && all <= answer.count };
}

// Tells how many are done; stops early when told to.
export async function runMatching(
  matching: Matching,
  tell: (done: number) => boolean,
): Promise<number> {
  let done = 0;
  const { deed, filter, asOf } = matching;
  for (let more = true; more; ) {
    const answer = await post<Answer>(path(deed), { filter, asOf, limit: atOnce });
    done += answer.count;
    more = answer.more && answer.count > 0 && tell(done);
  }
  tell(done);
  return done;
}

export const suits = (deed: Deed, job: JobSummary): boolean =>
  deed === "cancel" ? !isTerminal(job.state) : job.state === "DEAD" || job.state === "CANCELED";

const callsAtOnce = 6;

export interface Outcome {
  done: number;
  refused: number;
}

export async function runPicked(
  deed: Deed,
  ids: string[],
  tell: (done: number) => boolean,
): Promise<Outcome> {
  const outcome = { done: 0, refused: 0 };
  const left = [...ids];
  const work = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      try {
        await post(`jobs/${id}/${deed}`);
        outcome.done += 1;
      } catch (problem) {
        // A job that has moved on is refused; a server that is away ends it all.
        if (!(problem instanceof Problem) || problem.status !== 409) throw problem;
        outcome.refused += 1;
      }
      if (!tell(outcome.done + outcome.refused)) left.length = 0;
    }
  };
  await Promise.all(Array.from({ length: callsAtOnce }, work));
  return outcome;
}
