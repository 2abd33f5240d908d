import { useEffect, useState } from "preact/hooks";
import { about } from "../api";
import { Chart, countSteps, milliSteps } from "../chart";
import { type Data, now } from "../data";
import { count, millis, rate, seconds, short, timeOfDay } from "../format";
import { listen } from "../live";
import { Badge, Empty, JobLink, Panel, Spark, Switch } from "../pieces";
import { href, requery, route } from "../route";
import { useCommitMillis, useQueues, useStats, useWaiting, useWorkers } from "../sources";
import type { Counts, JobTransition, Queue, Span, State, Stats } from "../types";
import { warnings } from "../warnings";

const spans = ["1h", "6h", "24h"] as const;

export function Overview() {
  const asked = route.value.query.window as Span;
  const span = spans.includes(asked) ? asked : "1h";
  const stats = useStats(span);
  const queues = useQueues();
  return (
    <>
      <div class="heading">
        <h1>Overview</h1>
        <span class="spring" />
        <Switch
          label="Window"
          options={spans}
          value={span}
          choose={(window) => requery({ window })}
        />
      </div>
      <Figures queues={queues} stats={stats} span={span} />
      <Charts stats={stats} span={span} />
      <div class="columns">
        <div>
          <Warnings queues={queues.value} />
          <Backlog queues={queues} />
          <Failing stats={stats} span={span} />
        </div>
        <Activity />
      </div>
    </>
  );
}

const total = (queues: Queue[] | undefined, ...states: State[]) =>
  queues?.reduce(
    (sum, queue) => sum + states.reduce((all, state) => all + queue.depth[state], 0),
    0,
  );

function Figures({
  queues,
  stats,
  span,
}: {
  queues: Data<Queue[]>;
  stats: Data<Stats>;
  span: Span;
}) {
  const known = queues.value;
  const totals = stats.value?.totals;
  const ended = totals && totals.succeeded + totals.dead + totals.canceled;
  return (
    <div class="figures">
      <Figure
        label="Running"
        value={total(known, "RUNNING", "WAITING")}
        link={href("jobs", { state: "RUNNING" })}
        tone="running"
      />
      <Figure
        label="Waiting"
        value={total(known, "QUEUED", "CREATED")}
        link={href("jobs", { state: "QUEUED" })}
      />
      <Figure
        label="Scheduled"
        value={total(known, "SCHEDULED")}
        link={href("jobs", { state: "SCHEDULED" })}
      />
      <Figure
        label="Retrying"
        value={total(known, "RETRY")}
        link={href("jobs", { state: "RETRY" })}
        tone="retry"
      />
      <Figure label="Dead letters" value={total(known, "DEAD")} link={href("dead")} tone="dead" />
      <Figure
        label={`Finished in ${span}`}
        value={ended}
        link={href("jobs", { state: "SUCCESS" })}
      />
    </div>
  );
}

interface FigureProps {
  label: string;
  value: number | undefined;
  link: string;
  tone?: string;
}
function Figure({ label, value, link, tone = "" }: FigureProps) {
  return (
    <a class={`figure ${value ? tone : ""}`} href={link}>
      <span class="label">{label}</span>
      <span class="value" title={value === undefined ? "" : count(value)}>
        {value === undefined ? "–" : short(value)}
      </span>
    </a>
  );
}

const mean = (sum: number, of: number) => (of > 0 ? sum / of : null);
const ends = (row: Counts) => row.succeeded + row.failed;

function Charts({ stats, span }: { stats: Data<Stats>; span: Span }) {
  return (
    <Panel data={stats} lines={8} class="charts">
      {({ minutes, totals }) => {
        const times = minutes.map((row) => Date.parse(row.minute) / 1000);
        const line = (pick: (row: Counts) => number | null) => minutes.map(pick);
        const wait = mean(totals.waitMillis, totals.started);
        const run = mean(totals.runMillis, ends(totals));
        return (
          <>
            <Chart
              title="Throughput"
              summary={`${short(totals.succeeded)} succeeded in ${span}, per minute`}
              times={times}
              format={short}
              steps={countSteps}
              lines={[
                { label: "Succeeded", colour: "--success", values: line((row) => row.succeeded) },
                { label: "Enqueued", colour: "--ink-soft", values: line((row) => row.enqueued) },
              ]}
            />
            <Chart
              title="Failures"
              summary={`${count(totals.failed)} failed attempts, ${count(totals.dead)} dead jobs`}
              times={times}
              format={short}
              steps={countSteps}
              lines={[
                { label: "Failed attempts", colour: "--retry", values: line((row) => row.failed) },
                { label: "Dead", colour: "--dead", values: line((row) => row.dead) },
              ]}
            />
            <Chart
              title="Wait"
              summary={wait === null ? "no attempts started" : `${millis(wait)} on average`}
              times={times}
              format={millis}
              steps={milliSteps}
              lines={[
                {
                  label: "Mean wait",
                  colour: "--waiting",
                  values: line((row) => mean(row.waitMillis, row.started)),
                },
              ]}
            />
            <Chart
              title="Run time"
              summary={run === null ? "no attempts ended" : `${millis(run)} on average`}
              times={times}
              format={millis}
              steps={milliSteps}
              lines={[
                {
                  label: "Mean run time",
                  colour: "--running",
                  values: line((row) => mean(row.runMillis, ends(row))),
                },
              ]}
            />
          </>
        );
      }}
    </Panel>
  );
}

function Backlog({ queues }: { queues: Data<Queue[]> }) {
  return (
    <Panel title="Backlog" data={queues} aside={<a href={href("queues")}>All queues</a>}>
      {(list) =>
        list.length === 0 ? (
          <Empty title="No queues yet">A queue appears with its first job.</Empty>
        ) : (
          <div class="scroll">
            <table>
              <thead>
                <tr>
                  <th>Queue</th>
                  <th class="num">Waiting</th>
                  <th class="num">Oldest</th>
                  <th class="num">In</th>
                  <th class="num">Out</th>
                </tr>
              </thead>
              <tbody>
                {[...list]
                  .sort((a, b) => b.depth.QUEUED - a.depth.QUEUED)
                  .slice(0, 8)
                  .map((queue) => (
                    <tr key={queue.queue}>
                      <td>
                        <a href={href("jobs", { queue: queue.queue, state: "QUEUED" })}>
                          {queue.queue}
                        </a>
                        {queue.paused && <span class="badge paused">paused</span>}
                      </td>
                      <td class="num">{count(queue.depth.QUEUED)}</td>
                      <td class="num">
                        {queue.oldestAgeSeconds === null ? "–" : seconds(queue.oldestAgeSeconds)}
                      </td>
                      <td class="num">{rate(queue.rates.enqueuedPerSecond)}</td>
                      <td class="num">{rate(queue.rates.finishedPerSecond)}</td>
                    </tr>
                  ))}
              </tbody>
            </table>
          </div>
        )
      }
    </Panel>
  );
}

function Warnings({ queues }: { queues: Queue[] | undefined }) {
  const workers = useWorkers();
  const waiting = useWaiting();
  const commits = useCommitMillis();
  const found = warnings({
    queues,
    workers: workers.value,
    waiting: waiting.value,
    about: about.value,
    commitMillis: commits.value,
    now: now.value,
  });
  return (
    <Panel title="Warnings" data={workers} class="warnings">
      {() =>
        found.length === 0 ? (
          <Empty title="No warnings">
            Every waiting job has a worker, no backlog is growing, commits take{" "}
            {millis(commits.value ?? 0)}, durability is class {about.value?.durability}.
          </Empty>
        ) : (
          <ul>
            {found.map((warning) => (
              <li key={warning.text}>
                <a href={warning.link}>{warning.text}</a>
                <span class="muted">{warning.more}</span>
              </li>
            ))}
          </ul>
        )
      }
    </Panel>
  );
}

function Failing({ stats, span }: { stats: Data<Stats>; span: Span }) {
  return (
    <Panel title="Most failures" data={stats} aside={<a href={href("errors")}>All errors</a>}>
      {({ jobTypes }) => {
        const worst = jobTypes
          .filter((row) => row.failed > 0)
          .sort((a, b) => b.failed - a.failed)
          .slice(0, 8);
        if (worst.length === 0) return <Empty title={`No failed attempts in ${span}`} />;
        return (
          <div class="scroll">
            <table>
              <thead>
                <tr>
                  <th>Job type</th>
                  <th class="num">Failed</th>
                  <th class="num">Failure rate</th>
                  <th>Last {span}</th>
                </tr>
              </thead>
              <tbody>
                {worst.map((row) => (
                  <tr key={row.jobType}>
                    <td>
                      <a href={href("errors", { jobType: row.jobType })}>{row.jobType}</a>
                    </td>
                    <td class="num">{count(row.failed)}</td>
                    <td class="num">
                      {Math.min(100, Math.round((100 * row.failed) / Math.max(1, row.started)))} %
                    </td>
                    <td>
                      <Spark
                        values={row.series.failed}
                        tone="retry"
                        label={`Failures of ${row.jobType} over ${span}`}
                      />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        );
      }}
    </Panel>
  );
}

const shownMoves = 14;

// The latest transitions, one line per job.
function Activity() {
  const [moves, setMoves] = useState<JobTransition[]>([]);
  useEffect(
    () =>
      listen((event) => {
        if (event.kind !== "moves") return;
        setMoves((old) => {
          const latest = new Map<string, JobTransition>();
          for (const move of [...event.moves.slice(-50).reverse(), ...old]) {
            if (!latest.has(move.jobId)) latest.set(move.jobId, move);
          }
          return [...latest.values()].slice(0, shownMoves);
        });
      }),
    [],
  );
  return (
    <section class="panel now">
      <header>
        <h2>Live activity</h2>
        <span class="spring" />
        <a href={href("jobs")}>All jobs</a>
      </header>
      {moves.length === 0 ? (
        <Empty title="No activity yet">State changes appear here as they happen.</Empty>
      ) : (
        <ul>
          {moves.map((move) => (
            <li key={move.jobId}>
              <Badge state={move.to} />
              <JobLink id={move.jobId}>{move.jobType}</JobLink>
              <span class="spring" />
              <span class="muted num" title={move.at}>
                {timeOfDay(move.at)}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
