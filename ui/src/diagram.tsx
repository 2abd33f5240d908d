// The state diagram of a job, with the transitions it made.
import { useEffect, useRef } from "preact/hooks";
import type { Move, State } from "./types";

type Point = readonly [x: number, y: number];

const places: Record<State, Point> = {
  CREATED: [56, 100],
  SCHEDULED: [186, 34],
  QUEUED: [256, 100],
  RUNNING: [406, 100],
  WAITING: [526, 34],
  RETRY: [406, 172],
  SUCCESS: [676, 34],
  CANCELED: [676, 100],
  DEAD: [676, 172],
};

// Always drawn; other transitions are drawn only if the job made them.
const usual: [State, State][] = [
  ["CREATED", "SCHEDULED"],
  ["CREATED", "QUEUED"],
  ["SCHEDULED", "QUEUED"],
  ["QUEUED", "RUNNING"],
  ["RUNNING", "WAITING"],
  ["RUNNING", "SUCCESS"],
  ["WAITING", "SUCCESS"],
  ["RUNNING", "RETRY"],
  ["WAITING", "RETRY"],
  ["RETRY", "QUEUED"],
  ["RETRY", "DEAD"],
  ["RUNNING", "CANCELED"],
];
// Control points of the curves that avoid the boxes between two states.
const bends: Record<string, Point> = {
  "QUEUED CANCELED": [466, 164],
  "CREATED CANCELED": [366, 235],
  "SCHEDULED CANCELED": [436, -44],
  "RETRY CANCELED": [560, 150],
  "WAITING CANCELED": [610, 80],
};

const half: Point = [46, 14];
const width = 732;

// The point where a line from `from` to `to` meets the box around `to`.
function edge([fx, fy]: Point, [tx, ty]: Point): Point {
  const [dx, dy] = [tx - fx, ty - fy];
  const scale = Math.min(
    dx === 0 ? Infinity : (half[0] + 4) / Math.abs(dx),
    dy === 0 ? Infinity : (half[1] + 4) / Math.abs(dy),
  );
  return [tx - dx * scale, ty - dy * scale];
}

function path(from: State, to: State): string {
  const bend = bends[`${from} ${to}`];
  const start = edge(bend ?? places[to], places[from]);
  const end = edge(bend ?? places[from], places[to]);
  return bend ? `M${start} Q${bend} ${end}` : `M${start} L${end}`;
}

export function Diagram({ moves, state }: { moves: Move[]; state: State }) {
  const taken = new Map<string, number>();
  for (const { from, to } of moves) {
    if (from && from !== to) taken.set(`${from} ${to}`, (taken.get(`${from} ${to}`) ?? 0) + 1);
  }
  const visited = new Set(moves.map((move) => move.to));
  const edges = new Set([...usual.map((pair) => pair.join(" ")), ...taken.keys()]);
  const way = moves.map((move) => move.to.toLowerCase()).join(", ");
  const frame = useRef<HTMLDivElement>(null);
  // If the diagram is wider than the page, scroll to the current state.
  useEffect(() => {
    const { scrollWidth, clientWidth } = frame.current as HTMLDivElement;
    const left = (places[state][0] / width) * scrollWidth - clientWidth / 2;
    frame.current?.scrollTo({ left });
  }, [state]);
  return (
    <div ref={frame} class="scroll" tabIndex={0} role="region" aria-label="States">
      <svg
        class="diagram"
        viewBox={`0 0 ${width} 206`}
        role="img"
        aria-label={`Transitions: ${way}`}
      >
        <defs>
          {["dim", "lit"].map((kind) => (
            <marker
              key={kind}
              id={"arrow-" + kind}
              class={kind}
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="7"
              markerHeight="7"
              orient="auto"
            >
              <path d="M0 0L8 4L0 8z" />
            </marker>
          ))}
        </defs>
        {[...edges]
          .sort((a, b) => Number(taken.has(a)) - Number(taken.has(b)))
          .map((name) => {
            const [from, to] = name.split(" ") as [State, State];
            const kind = taken.has(name) ? "lit" : "dim";
            return (
              <path
                key={name}
                class={"edge " + kind}
                d={path(from, to)}
                marker-end={`url(#arrow-${kind})`}
              />
            );
          })}
        {(Object.keys(places) as State[]).map((name) => (
          <Box key={name} name={name} visited={visited.has(name)} current={name === state} />
        ))}
        {[...taken].map(
          ([name, times]) => times > 1 && <Times key={name} name={name} times={times} />,
        )}
      </svg>
    </div>
  );
}

function Box({ name, visited, current }: { name: State; visited: boolean; current: boolean }) {
  const [x, y] = places[name];
  const kind = current ? "current state-" + name.toLowerCase() : visited ? "visited" : "";
  return (
    <g class={"box " + kind}>
      <rect x={x - half[0]} y={y - half[1]} width={half[0] * 2} height={half[1] * 2} rx="6" />
      <text x={x} y={y + 4} text-anchor="middle">
        {name.toLowerCase()}
      </text>
    </g>
  );
}

function Times({ name, times }: { name: string; times: number }) {
  const [from, to] = name.split(" ") as [State, State];
  const [x, y] = [(places[from][0] + places[to][0]) / 2, (places[from][1] + places[to][1]) / 2];
  // Above the line, or beside a vertical one.
  const upright = places[from][0] === places[to][0];
  return (
    <text class="times" x={upright ? x + 14 : x} y={upright ? y + 4 : y - 5} text-anchor="middle">
      {times}×
    </text>
  );
}
