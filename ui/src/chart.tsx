// Time series charts, drawn by uPlot in the colours of the page.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { systemDark, theme } from "./theme";

export interface Line {
  label: string;
  colour: string; // a CSS variable: "--success"
  values: (number | null)[];
}

interface ChartProps {
  title: string;
  summary: string; // the same as text
  times: number[]; // seconds
  lines: Line[];
  format: (value: number) => string;
  steps: number[]; // allowed distances between grid lines
}

const colour = (name: string) =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const height = 150;
const decimal = (from: number, powers: number) =>
  Array.from({ length: powers }, (_, i) => [1, 2, 5].map((step) => step * from * 10 ** i)).flat();

// The smallest steps are one job and one millisecond.
export const countSteps = decimal(1, 9);
export const milliSteps = [
  ...decimal(1, 3),
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800].map((step) => step * 1000),
  ...[1, 2, 3, 6, 12].map((hours) => hours * 3_600_000),
  ...decimal(86_400_000, 4),
];

// A value between two gaps has no line, so sparse series show points.
const points = (line: Line) => ({
  show: line.values.filter((value) => value !== null).length < 10,
  size: 5,
});

function options(props: ChartProps, width: number): uPlot.Options {
  const axis = { stroke: colour("--muted"), font: "11px system-ui", ticks: { show: false } };
  const grid = { stroke: colour("--line"), width: 1 };
  return {
    width,
    height,
    cursor: {
      sync: { key: "overview" },
      points: { size: 6 },
      drag: { setScale: false, x: false, y: false },
    },
    legend: { show: true, live: true },
    scales: { y: { range: (_, __, most) => [0, most > 0 ? most * 1.15 : 1] } },
    axes: [
      { ...axis, grid: { show: false }, size: 24, values: clockLabels },
      {
        ...axis,
        grid,
        size: 52,
        incrs: props.steps,
        values: (_, ticks) => ticks.map((tick) => narrow(props.format(tick))),
      },
    ],
    series: [
      { label: "", value: (_, at) => (at == null ? "" : clockText(at)) },
      ...props.lines.map((line) => ({
        label: line.label,
        stroke: colour(line.colour),
        width: 1.75,
        fill: colour(line.colour) + "14",
        points: points(line),
        spanGaps: true,
        value: (_: uPlot, value: number | null) => (value == null ? "–" : props.format(value)),
      })),
    ],
  };
}

// Axis labels have room for one unit: "2 min 30 s" becomes "2 min 30".
const narrow = (text: string) => text.split(" ").slice(0, 3).join(" ");

const clockText = (at: number) => new Date(at * 1000).toTimeString().slice(0, 5);
const clockLabels = (_: uPlot, ticks: number[]) => ticks.map(clockText);

const data = (props: ChartProps): uPlot.AlignedData => [
  props.times,
  ...props.lines.map((line) => line.values),
];

export function Chart(props: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const dots = props.lines.map((line) => points(line).show).join();
  const shape =
    props.lines.map((line) => line.label).join() + dots + theme.value + systemDark.value;

  useEffect(() => {
    const element = place.current as HTMLDivElement;
    plot.current = new uPlot(options(props, element.clientWidth), data(props), element);
    const watcher = new ResizeObserver(() => {
      if (element.clientWidth > 0) plot.current?.setSize({ width: element.clientWidth, height });
    });
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      plot.current?.destroy();
    };
  }, [shape]);

  useEffect(() => {
    plot.current?.setData(data(props));
  });

  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{props.title}</span> <span class="muted">{props.summary}</span>
      </figcaption>
      <div ref={place} class="plot" role="img" aria-label={`${props.title}: ${props.summary}`} />
    </figure>
  );
}
