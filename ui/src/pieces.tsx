// Small components shared by all views.
import type { ComponentChildren } from "preact";
import { Problem } from "./api";
import type { Data } from "./data";
import { now } from "./data";
import { ago, moment } from "./format";
import { href } from "./route";
import type { State } from "./types";

export function Badge({ state }: { state: State }) {
  return <span class={"badge state-" + state.toLowerCase()}>{state.toLowerCase()}</span>;
}

// A relative time, with the exact time as its tooltip.
export function Ago({ at }: { at: string | null | undefined }) {
  if (!at) return <span class="muted">–</span>;
  return (
    <time dateTime={at} title={`${moment(at)} (${at})`}>
      {ago(at, now.value)}
    </time>
  );
}

export function JobLink({ id, children }: { id: string; children?: ComponentChildren }) {
  return (
    <a href={href("jobs", {}, id)} class="mono id">
      {children ?? "…" + id.slice(-12)}
    </a>
  );
}

interface PanelProps<T> {
  title?: string;
  aside?: ComponentChildren;
  data: Data<T>;
  lines?: number; // of the skeleton
  class?: string;
  children: (value: T) => ComponentChildren;
}

// A panel whose call failed shows the problem and keeps the last known data.
export function Panel<T>({
  title,
  aside,
  data,
  lines = 4,
  class: extra = "",
  children,
}: PanelProps<T>) {
  return (
    <section class={"panel " + extra} aria-busy={data.value === undefined && !data.problem}>
      {title && (
        <header>
          <h2>{title}</h2>
          <span class="spring" />
          {aside}
        </header>
      )}
      {data.problem && (
        <Trouble problem={data.problem} again={data.again} stale={data.value !== undefined} />
      )}
      {data.value !== undefined
        ? children(data.value)
        : !data.problem && <Skeleton lines={lines} />}
    </section>
  );
}

function Trouble({
  problem,
  again,
  stale,
}: {
  problem: Problem;
  again: () => void;
  stale: boolean;
}) {
  return (
    <p class="trouble" role="alert">
      <span>
        {problem.message} {stale && "Showing the last known data."}
      </span>
      <button class="quiet" onClick={again}>
        Try again
      </button>
    </p>
  );
}

export function Skeleton({ lines }: { lines: number }) {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: lines }, (_, i) => (
        <i key={i} />
      ))}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="title">{title}</p>
      {children && <div class="muted">{children}</div>}
    </div>
  );
}

interface SwitchProps<T extends string> {
  label: string;
  options: readonly T[];
  value: T;
  choose: (value: T) => void;
}

export function Switch<T extends string>({ label, options, value, choose }: SwitchProps<T>) {
  return (
    <div class="switch" role="group" aria-label={label}>
      {options.map((option) => (
        <button key={option} aria-pressed={option === value} onClick={() => choose(option)}>
          {option}
        </button>
      ))}
    </div>
  );
}

// A sparkline of bars; the label describes it for screen readers.
export function Spark({ values, label, tone }: { values: number[]; label: string; tone?: string }) {
  const most = Math.max(1, ...values);
  return (
    <svg
      class={"spark " + (tone ?? "")}
      viewBox={`0 0 ${values.length * 4} 20`}
      role="img"
      aria-label={label}
    >
      {values.map((value, i) => {
        const height = value === 0 ? 1 : Math.max(2, (value / most) * 20);
        return (
          <rect
            key={i}
            x={i * 4}
            y={20 - height}
            width="3"
            height={height}
            rx="0.5"
            class={value ? "" : "zero"}
          />
        );
      })}
    </svg>
  );
}
