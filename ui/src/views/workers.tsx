import { now } from "../data";
import { plural } from "../format";
import { Ago, Empty, JobLink, Panel } from "../pieces";
import { useWorkers } from "../sources";
import type { Worker } from "../types";

const silentAfter = 90_000; // milliseconds

export function Workers() {
  const workers = useWorkers();
  return (
    <>
      <div class="heading">
        <h1>Workers</h1>
      </div>
      <Panel data={workers} lines={5}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No workers yet">
              Start one: <code>longshore work --exec TYPE=./program</code>
            </Empty>
          ) : (
            <WorkerTable list={list} />
          )
        }
      </Panel>
    </>
  );
}

const isSilent = (worker: Worker) => now.value - Date.parse(worker.lastSeenAt) > silentAfter;

function WorkerTable({ list }: { list: Worker[] }) {
  const sorted = [...list].sort(
    (a, b) => Number(isSilent(a)) - Number(isSilent(b)) || a.workerId.localeCompare(b.workerId),
  );
  return (
    <div class="scroll">
      <table class="stacked">
        <thead>
          <tr>
            <th>Worker</th>
            <th>Job types</th>
            <th>Slots</th>
            <th>Current jobs</th>
            <th>Heartbeat</th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((worker) => (
            <tr key={worker.workerId} class={isSilent(worker) ? "silent" : ""}>
              <td data-label="Worker">
                <span class="mono strong">{worker.workerId}</span>
                <span class="muted below">
                  {[worker.host, worker.version && `version ${worker.version}`]
                    .filter(Boolean)
                    .join(" · ")}
                </span>
              </td>
              <td data-label="Job types">
                {worker.jobTypes === null ? "any type" : worker.jobTypes.join(", ")}
                <span class="muted below">from {worker.queues.join(", ")}</span>
              </td>
              <td data-label="Slots">
                <Slots used={worker.jobs.length} all={worker.slots} />
              </td>
              <td data-label="Current jobs">
                {worker.jobs.length === 0 && <span class="muted">idle</span>}
                {worker.jobs.slice(0, 5).map((job) => (
                  <span key={job} class="below">
                    <JobLink id={job} />
                  </span>
                ))}
                {worker.jobs.length > 5 && (
                  <span class="muted below">
                    and {plural(worker.jobs.length - 5, "more", "more")}
                  </span>
                )}
              </td>
              <td data-label="Heartbeat">
                <Ago at={worker.lastSeenAt} />
                {isSilent(worker) && <span class="badge silent-mark">silent</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Slots({ used, all }: { used: number; all: number }) {
  const whole = Math.max(all, used, 1);
  return (
    <span class="slots">
      <span class="num">
        {used} of {whole}
      </span>
      <span class="bar" aria-hidden="true">
        <i style={{ width: `${(100 * used) / whole}%` }} />
      </span>
    </span>
  );
}
