// What is done to picked jobs, or to all that the filter finds, at the foot of a list.
import { useEffect, useRef, useState } from "preact/hooks";
import {
  countMatching,
  type Deed,
  type Filter,
  type Matching,
  runMatching,
  runPicked,
  suits,
} from "./bulk";
import { count, plural, timeOfDay } from "./format";
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

const deeds = ["cancel", "redrive"] as const;
const words = {
  cancel: { verb: "Cancel", done: "canceled" },
  redrive: { verb: "Redrive", done: "redriven" },
};

export function BulkBar({ source, filter, jobs, picked, clear }: BarProps) {
  const [progress, setProgress] = useState<Progress | null>(null);
  const [all, setAll] = useState<Matching[] | "counting" | null>(null);
  const stopped = useRef(false);
  useEffect(() => () => void (stopped.current = true), []);

  // Runs after the question has been answered, and says how far it is.
  const begin = (
    deed: Deed,
    of: number,
    work: (tell: (done: number) => boolean) => Promise<string>,
  ) => {
    stopped.current = false;
    setProgress({ deed, done: 0, of });
    const tell = (done: number) => {
      setProgress({ deed, done, of });
      return !stopped.current;
    };
    work(tell)
      .then((text) => {
        say(text);
        clear();
      })
      .catch(sayProblem)
      .finally(() => setProgress(null));
  };

  const doPicked = (deed: Deed) => {
    const picks = jobs.filter((job) => picked.has(job.jobId));
    const meant = picks.filter((job) => suits(deed, job)).map((job) => job.jobId);
    if (meant.length === 0) return say(`None of these can be ${words[deed].done}`, true);
    ask({
      title: `${words[deed].verb} ${plural(meant.length, "job")}?`,
      body: <p>{remark(deed, picks.length - meant.length)}</p>,
      yes: `${words[deed].verb} ${count(meant.length)}`,
      danger: deed === "cancel",
      act: async () =>
        begin(deed, meant.length, async (tell) => {
          const { done, refused } = await runPicked(deed, meant, tell);
          const others = refused > 0 ? `, ${refused} had moved on` : "";
          return `${plural(done, "job")} ${words[deed].done}${others}`;
        }),
    });
  };

  const countAll = () => {
    setAll("counting");
    Promise.all(
      deeds
        .filter((deed) => fits(deed, source, filter))
        .map((deed) => countMatching(deed, forDeed(deed, filter))),
    )
      .then((found) => setAll(found.filter((matching) => matching.count > 0)))
      .catch((problem) => {
        setAll(null);
        sayProblem(problem);
      });
  };

  const doAll = (matching: Matching) =>
    ask({
      title: `${words[matching.deed].verb} all ${total(matching)} matching jobs?`,
      body: (
        <p>
          Jobs made after {timeOfDay(matching.asOf)} are left out. {remark(matching.deed, 0)}
        </p>
      ),
      yes: `${words[matching.deed].verb} ${total(matching)}`,
      danger: matching.deed === "cancel",
      act: async () =>
        begin(matching.deed, matching.count, async (tell) => {
          const done = await runMatching(matching, tell);
          return `${plural(done, "job")} ${words[matching.deed].done}`;
        }),
    });

  if (progress) {
    return (
      <div class="bulk" role="status">
        <progress max={progress.of} value={progress.done} aria-label="Done so far" />
        <span class="num">
          {count(progress.done)} of {count(progress.of)} {words[progress.deed].done}
        </span>
        <span class="spring" />
        <button onClick={() => (stopped.current = true)}>Stop</button>
      </div>
    );
  }
  if (Array.isArray(all)) {
    return (
      <div class="bulk" role="status">
        <b>
          {all.length > 0
            ? `All matching, as of ${timeOfDay(all[0].asOf)}`
            : "Nothing matching can be changed"}
        </b>
        {all.map((matching) => (
          <button key={matching.deed} onClick={() => doAll(matching)}>
            {words[matching.deed].verb} all {total(matching)}
          </button>
        ))}
        <span class="spring" />
        <button class="quiet" onClick={() => setAll(null)}>
          Back
        </button>
      </div>
    );
  }
  return (
    <div class="bulk">
      <b class="num">{count(picked.size)} selected</b>
      {deeds.map((deed) => (
        <button key={deed} onClick={() => doPicked(deed)}>
          {words[deed].verb}
        </button>
      ))}
      <button class="quiet" onClick={clear}>
        Clear
      </button>
      <span class="spring" />
      <button class="quiet" disabled={all === "counting"} onClick={countAll}>
        {all === "counting" ? "Counting…" : "Select all matching"}
      </button>
    </div>
  );
}

const total = (matching: Matching) => count(matching.count) + (matching.more ? "+" : "");

const ended = ["SUCCESS", "DEAD", "CANCELED"];

function fits(deed: Deed, source: "jobs" | "dead", filter: Filter): boolean {
  if (deed === "redrive") return source === "dead" || !filter.state || filter.state === "DEAD";
  return source === "jobs" && !ended.includes(filter.state);
}

function forDeed(deed: Deed, filter: Filter): Filter {
  if (deed === "cancel") return filter;
  const { state: _, ...rest } = filter;
  return rest;
}

function remark(deed: Deed, left: number): string {
  const others =
    left > 0 ? `${plural(left, "other")} of the selection cannot be and stay as they are. ` : "";
  if (deed === "cancel") return `${others}Jobs that run are asked to stop at their next heartbeat.`;
  return `${others}Each runs again as a new job with the same payload.`;
}
