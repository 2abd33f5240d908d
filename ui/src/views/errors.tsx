import { mayAct } from "../api";
import { countMatching, runMatching } from "../bulk";
import { count, plural } from "../format";
import { ask, say } from "../notice";
import { Ago, Empty, JobLink, Panel, Spark } from "../pieces";
import { href, requery, route } from "../route";
import { useErrors, useStats } from "../sources";
import type { ErrorGroup, Stats } from "../types";

export function Errors() {
  const errors = useErrors();
  const stats = useStats("24h");
  const type = route.value.query.jobType;
  return (
    <>
      <div class="heading">
        <h1>Errors</h1>
        {type && (
          <button class="chip" onClick={() => requery({ jobType: undefined })}>
            type {type} <span aria-hidden="true">×</span>
            <span class="unseen">show all</span>
          </button>
        )}
      </div>
      <Panel data={errors} lines={6}>
        {(all) => {
          const list = all.filter((group) => !type || group.jobType === type);
          if (list.length === 0) {
            return (
              <Empty title={type ? `No errors for ${type}` : "No failed attempts"}>
                Failures appear here, grouped by job type and error.
              </Empty>
            );
          }
          return (
            <ul class="groups">
              {list.map((group) => (
                <Group key={group.jobType + group.fingerprint} group={group} stats={stats.value} />
              ))}
            </ul>
          );
        }}
      </Panel>
    </>
  );
}

const parts = 24;
const hour = 3_600_000;

// Failures of the job type in the hours in which this group occurred: stores count failures per
// type, not per group.
function hourly(group: ErrorGroup, stats: Stats | undefined): number[] {
  const failed = stats?.jobTypes.find((row) => row.jobType === group.jobType)?.series.failed;
  const last = stats?.minutes.at(-1)?.minute;
  if (!failed || !last) return Array(parts).fill(0);
  const begin = Date.parse(last) + 60_000 - parts * hour;
  return failed.map((value, i) => {
    const from = begin + i * hour;
    return from + hour >= Date.parse(group.first) && from <= Date.parse(group.last) ? value : 0;
  });
}

function Group({ group, stats }: { group: ErrorGroup; stats: Stats | undefined }) {
  return (
    <li>
      <div class="row">
        <code class="code">{group.code || "ERROR"}</code>
        <h2>{group.jobType}</h2>
        <span class="spring" />
        <b class="num">{count(group.count)}×</b>
      </div>
      <p class="message">{group.message}</p>
      <div class="row small">
        <Spark
          values={hourly(group, stats)}
          tone="retry"
          label={`Failures of ${group.jobType} per hour, last 24 hours`}
        />
        <span class="muted">
          first <Ago at={group.first} />, last <Ago at={group.last} />, latest in{" "}
          <JobLink id={group.sample} />
        </span>
        <span class="spring" />
        <a href={href("jobs", { jobType: group.jobType, error: group.code })}>Jobs</a>
        {mayAct() && (
          <button class="quiet" onClick={() => redriveGroup(group)}>
            Redrive dead jobs
          </button>
        )}
      </div>
    </li>
  );
}

async function redriveGroup(group: ErrorGroup): Promise<void> {
  const filter = { jobType: group.jobType, fingerprint: group.fingerprint };
  const matching = await countMatching("redrive", filter).catch(() => null);
  if (!matching) return say("Could not count the dead letters of this group", true);
  if (matching.count === 0) return say("This group has no dead letters to redrive");
  ask({
    title: `Redrive ${plural(matching.count, "dead letter")}?`,
    body: (
      <p>Each creates a new job with the same payload. Jobs that die from now on are excluded.</p>
    ),
    yes: "Redrive",
    act: async () => {
      const done = await runMatching(matching, () => true);
      say(`${plural(done, "job")} redriven`);
    },
  });
}
