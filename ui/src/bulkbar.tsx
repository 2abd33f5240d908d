// What is done to picked jobs, or to all that the filter finds, at the foot of a list.
import { useEffect, useRef, useState } from "preact/hooks";
import { countMatching, type Deed, type Filter, type Matching, runMatching, runPicked, suits } from "./bulk";
import { count, plural } from "./format";
import { ask, say, sayProblem } from "./notice";
import type { JobSummary } from "./types";

interface BarProps {
  source: "jobs" | "dead";
  filter: Filter;
  jobs: JobSummary[];
  picked: ReadonlySet<string>;
  clear: () => void;
}

interface Progress {
  deed: Deed;
  done: number;
  of: number;
}

const verbs = {
  cancel: { yes: "Cancel jobs", done: "canceled", question: "Cancel" },
  redrive: { yes: "Redrive jobs", done: "redriven", question: "Redrive" },
};

export function BulkBar({ source, filter, jobs, picked, clear }: BarProps) {
  const [progress, setProgress] = useState<Progress | null>(null);
  const [counting, setCounting] = useState(false);
  const stopped = useRef(false);
  const address = JSON.stringify(filter);
  useEffect(() => () => void (stopped.current = true), [address]);

  const deeds = (["cancel", "redrive"] as const).filter((deed) => fits(deed, source, filter));
  const picks = jobs.filter((job) => picked.has(job.jobId));

  const tell = (deed: Deed, of: number) => (done: number) => {
    setProgress({ deed, done, of });
    return !stopped.current;
  };
  const start = () => {
    stopped.current = false;
  };
  const finish = (text: string) => {
    setProgress(null);
    clear();
    say(text);
  };

  const doPicked = (deed: Deed) => {
    const meant = picks.filter((job) => suits(deed, job)).map((job) => job.jobId);
    if (meant.length === 0) return say(`None of these can be ${verbs[deed].done}`, true);
    ask({
      title: `${verbs[deed].question} ${plural(meant.length, "job")}?`,
      body: <p>{remark(deed, picks.length - meant.length)}</p>,
      yes: verbs[deed].yes,
      danger: deed === "cancel",
      act: async () => {
        start();
        void runPicked(deed, meant, tell(deed, meant.length))
          .then(({ done, refused }) =>
            finish(`${plural(done, "job")} ${verbs[deed].done}${refused > 0 ? `, ${refused} had moved on` : ""}`),
          )
          .catch(fail);
      },
    });
  };

  const doAll = async (deed: Deed) => {
    setCounting(true);
    const matching = await countMatching(deed, forDeed(deed, filter)).catch(sayProblem);
    setCounting(false);
    if (!matching) return;
    if (matching.count === 0) return say(`No matching job can be ${verbs[deed].done}`);
    const all = total(matching);
    ask({
      title: `${verbs[deed].question} all ${all} matching jobs?`,
      body: <p>Jobs that are made from now on are left out. {remark(deed, 0)}</p>,
      yes: `${verbs[deed].question} ${all}`,
      danger: deed === "cancel",
      act: async () => {
        start();
        void runMatching(matching, tell(deed, matching.count))
          .then((done) => finish(`${plural(done, "job")} ${verbs[deed].done}`))
          .catch(fail);
      },
    });
  };

  const fail = (problem: unknown) => {
    setProgress(null);
    sayProblem(problem);
  };

  if (progress) {
    return (
      <div class="bulk" role="status">
        <progress max={progress.of} value={progress.done} aria-label="Done so far" />
        <span class="num">
          {count(progress.done)} of {count(progress.of)} {verbs[progress.deed].done}
        </span>
        <span class="spring" />
        <button onClick={() => (stopped.current = true)}>Stop</button>
      </div>
    );
  }
  return (
    <div class="bulk">
      {picks.length > 0 && (
        <>
          <b class="num">{count(picks.length)} selected</b>
          {(["cancel", "redrive"] as const).map((deed) => (
            <button key={deed} onClick={() => doPicked(deed)}>
              {verbs[deed].question}
            </button>
          ))}
          <button class="quiet" onClick={clear}>
            Clear
          </button>
        </>
      )}
      <span class="spring" />
      <span class="muted">All matching:</span>
      {deeds.map((deed) => (
        <button key={deed} disabled={counting} onClick={() => doAll(deed)}>
          {counting ? "Counting…" : `${verbs[deed].question} all`}
        </button>
      ))}
    </div>
  );
}

const total = (matching: Matching) => count(matching.count) + (matching.more ? "+" : "");

const ended = ["SUCCESS", "DEAD", "CANCELED"];

function fits(deed: Deed, source: "jobs" | "dead", filter: Filter): boolean {
  if (deed === "redrive") return source === "dead" || filter.state === "DEAD";
  return source === "jobs" && !ended.includes(filter.state);
}

function forDeed(deed: Deed, filter: Filter): Filter {
  if (deed === "cancel") return filter;
  const { state: _, ...rest } = filter;
  return rest;
}

function remark(deed: Deed, left: number): string {
  const others = left > 0 ? `${plural(left, "other")} of the selection cannot be and stay as they are. ` : "";
  if (deed === "cancel") return `${others}Jobs that run are asked to stop at their next heartbeat.`;
  return `${others}Each runs again as a new job with the same payload.`;
}
