// The bar below a list: bulk actions on the selected jobs or on all matching jobs.
import { useEffect, useRef, useState } from "preact/hooks";
import {
  countMatching,
  type BulkAction,
  type Filter,
  type Matching,
  runMatching,
  runPicked,
  applies,
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
  action: BulkAction;
  done: number;
  of: number;
}

const bulkActions = ["cancel", "redrive"] as const;
const words = {
  cancel: { verb: "Cancel", done: "canceled" },
  redrive: { verb: "Redrive", done: "redriven" },
};

export function BulkBar({ source, filter, jobs, picked, clear }: BarProps) {
  const [progress, setProgress] = useState<Progress | null>(null);
  const [all, setAll] = useState<Matching[] | "counting" | null>(null);
  const stopped = useRef(false);
  useEffect(() => () => void (stopped.current = true), []);

  // Runs after confirmation and shows progress.
  const begin = (
    action: BulkAction,
    of: number,
    work: (report: (done: number) => boolean) => Promise<string>,
  ) => {
    stopped.current = false;
    setProgress({ action, done: 0, of });
    const report = (done: number) => {
      setProgress({ action, done, of });
      return !stopped.current;
    };
    work(report)
      .then((text) => {
        say(text);
        clear();
      })
      .catch(sayProblem)
      .finally(() => setProgress(null));
  };

  const doPicked = (action: BulkAction) => {
    const picks = jobs.filter((job) => picked.has(job.jobId));
    const meant = picks.filter((job) => applies(action, job)).map((job) => job.jobId);
    if (meant.length === 0)
      return say(`None of the selected jobs can be ${words[action].done}`, true);
    ask({
      title: `${words[action].verb} ${plural(meant.length, "job")}?`,
      body: <p>{remark(action, picks.length - meant.length)}</p>,
      yes: `${words[action].verb} ${count(meant.length)}`,
      danger: action === "cancel",
      act: async () =>
        begin(action, meant.length, async (report) => {
          const { done, refused } = await runPicked(action, meant, report);
          const others = refused > 0 ? `, ${refused} skipped: state changed` : "";
          return `${plural(done, "job")} ${words[action].done}${others}`;
        }),
    });
  };

  const countAll = () => {
    setAll("counting");
    Promise.all(
      bulkActions
        .filter((action) => fits(action, source, filter))
        .map((action) => countMatching(action, filterFor(action, filter))),
    )
      .then((found) => setAll(found.filter((matching) => matching.count > 0)))
      .catch((problem) => {
        setAll(null);
        sayProblem(problem);
      });
  };

  const doAll = (matching: Matching) =>
    ask({
      title: `${words[matching.action].verb} all ${total(matching)} matching jobs?`,
      body: (
        <p>
          Jobs created after {timeOfDay(matching.asOf)} are excluded. {remark(matching.action, 0)}
        </p>
      ),
      yes: `${words[matching.action].verb} ${total(matching)}`,
      danger: matching.action === "cancel",
      act: async () =>
        begin(matching.action, matching.count, async (report) => {
          const done = await runMatching(matching, report);
          return `${plural(done, "job")} ${words[matching.action].done}`;
        }),
    });

  if (progress) {
    return (
      <div class="bulk" role="status">
        <progress max={progress.of} value={progress.done} aria-label="Progress" />
        <span class="num">
          {count(progress.done)} of {count(progress.of)} {words[progress.action].done}
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
            : "No matching job can be canceled or redriven"}
        </b>
        {all.map((matching) => (
          <button key={matching.action} onClick={() => doAll(matching)}>
            {words[matching.action].verb} all {total(matching)}
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
      {bulkActions.map((action) => (
        <button key={action} onClick={() => doPicked(action)}>
          {words[action].verb}
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

function fits(action: BulkAction, source: "jobs" | "dead", filter: Filter): boolean {
  if (action === "redrive") return source === "dead" || !filter.state || filter.state === "DEAD";
  return source === "jobs" && !ended.includes(filter.state);
}

function filterFor(action: BulkAction, filter: Filter): Filter {
  if (action === "cancel") return filter;
  const { state: _, ...rest } = filter;
  return rest;
}

function remark(action: BulkAction, left: number): string {
  const skipped =
    left > 0 ? `${plural(left, "selected job")} in another state will be skipped. ` : "";
  if (action === "cancel")
    return `${skipped}Running jobs are asked to stop at their next heartbeat.`;
  return `${skipped}Each creates a new job with the same payload.`;
}
