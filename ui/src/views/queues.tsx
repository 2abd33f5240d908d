import { mayAct, post } from "../api";
import { count, millis, rate, seconds } from "../format";
import { ask, say } from "../notice";
import { Empty, Panel, Spark } from "../pieces";
import { href } from "../route";
import { useQueues, useStats } from "../sources";
import type { Queue, Stats } from "../types";

const liveStates = ["RUNNING", "WAITING", "QUEUED", "RETRY", "SCHEDULED", "CREATED"] as const;
const endStates = ["SUCCESS", "DEAD", "CANCELED"] as const;

export function Queues() {
  const queues = useQueues();
  const stats = useStats("1h");
  return (
    <>
      <div class="heading">
        <h1>Queues</h1>
      </div>
      <Panel data={queues} lines={6}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No queues yet">
              A queue appears with its first job: <code>longshore enqueue</code> or{" "}
              <code>POST /jobs</code>.
            </Empty>
          ) : (
            <ul class="queues">
              {list.map((queue) => (
                <QueueRow
                  key={queue.queue}
                  queue={queue}
                  stats={stats.value}
                  again={queues.again}
                />
              ))}
            </ul>
          )
        }
      </Panel>
    </>
  );
}

function QueueRow({
  queue,
  stats,
  again,
}: {
  queue: Queue;
  stats: Stats | undefined;
  again: () => void;
}) {
  const figures = stats?.queues.find((row) => row.queue === queue.queue);
  const waited =
    figures && figures.started > 0 ? millis(figures.waitMillis / figures.started) : "–";
  return (
    <li>
      <div class="row">
        <h2>
          <a href={href("jobs", { queue: queue.queue })}>{queue.queue}</a>
        </h2>
        {queue.paused && <span class="badge paused">paused</span>}
        {queue.maxRunning !== null && <span class="muted">at most {queue.maxRunning} running</span>}
        <span class="spring" />
        {mayAct() && <PauseButton queue={queue} again={again} />}
      </div>
      <Depth queue={queue} />
      <dl class="facts line">
        <Fact name="Oldest waiting">
          {queue.oldestAgeSeconds === null ? "–" : seconds(queue.oldestAgeSeconds)}
        </Fact>
        <Fact name="Mean wait, 1 h">{waited}</Fact>
        <Fact name="In">{rate(queue.rates.enqueuedPerSecond)}</Fact>
        <Fact name="Started">{rate(queue.rates.startedPerSecond)}</Fact>
        <Fact name="Out">{rate(queue.rates.finishedPerSecond)}</Fact>
        {figures && (
          <Fact name="Finished, 1 h">
            <Spark
              values={figures.series.finished}
              label={`Jobs of ${queue.queue} finished in the last hour`}
            />
          </Fact>
        )}
      </dl>
    </li>
  );
}

function Fact({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

// Live jobs as segments of a bar. Ended jobs are only counted: they would fill the bar.
function Depth({ queue }: { queue: Queue }) {
  const all = liveStates.reduce((sum, state) => sum + queue.depth[state], 0);
  return (
    <>
      <div class="depth" aria-hidden="true">
        {liveStates.map(
          (state) =>
            queue.depth[state] > 0 && (
              <i
                key={state}
                class={"state-" + state.toLowerCase()}
                style={{ flexGrow: Math.max(queue.depth[state] / all, 0.005) }}
              />
            ),
        )}
      </div>
      <ul class="counts">
        {[...liveStates.slice(0, 5), ...endStates].map((state) => (
          <li key={state} class={queue.depth[state] === 0 ? "none" : ""}>
            <a href={href("jobs", { queue: queue.queue, state })}>
              <i class={"dot state-" + state.toLowerCase()} />
              {state.toLowerCase()} <b>{count(queue.depth[state])}</b>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

function PauseButton({ queue, again }: { queue: Queue; again: () => void }) {
  const path = `queues/${encodeURIComponent(queue.queue)}`;
  const resume = async () => {
    await post(`${path}/resume`);
    say(`Queue "${queue.queue}" resumed`);
    again();
  };
  if (queue.paused) return <button onClick={resume}>Resume</button>;
  return (
    <button
      onClick={() =>
        ask({
          title: `Pause ${queue.queue}?`,
          body: <p>Running jobs continue. No new jobs start until you resume the queue.</p>,
          yes: "Pause",
          act: async () => {
            await post(`${path}/pause`);
            say(`Queue "${queue.queue}" paused`);
            again();
          },
        })
      }
    >
      Pause
    </button>
  );
}
