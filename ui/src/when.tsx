// When a redriven or duplicated job starts: now, after a delay, or at a given time.
import { useState } from "preact/hooks";

type Kind = "now" | "in" | "at";

export interface When {
  kind: Kind;
  amount: string;
  unit: string; // in seconds
  at: string; // local time, in the format of the browser's input field
}

export const atOnce = (): When => ({ kind: "now", amount: "10", unit: "60", at: "" });

const units = { 1: "seconds", 60: "minutes", 3600: "hours", 86400: "days" };

// The request fields for this choice. Throws if the delay or the time is missing or invalid.
export function startOf(when: When): { delaySeconds?: number; runAt?: string } {
  if (when.kind === "now") return {};
  if (when.kind === "in") {
    const seconds = Number(when.amount) * Number(when.unit);
    if (when.amount === "" || !(seconds >= 0)) throw new Error("Enter a delay");
    return { delaySeconds: seconds };
  }
  if (when.at === "") throw new Error("Enter a date and time");
  return { runAt: new Date(when.at).toISOString() };
}

export function WhenForm({ when }: { when: When }) {
  const [kind, setKind] = useState(when.kind);
  const choose = (chosen: Kind) => setKind((when.kind = chosen));
  const choice = (value: Kind, label: string) => (
    <label class="check">
      <input type="radio" name="when" checked={kind === value} onChange={() => choose(value)} />
      {label}
    </label>
  );
  return (
    <fieldset class="when">
      <legend>Run</legend>
      {choice("now", "now")}
      {choice("in", "in")}
      {kind === "in" && (
        <span>
          <input
            type="number"
            min="0"
            step="any"
            aria-label="delay"
            value={when.amount}
            onInput={(event) => (when.amount = event.currentTarget.value)}
          />{" "}
          <select
            aria-label="unit"
            value={when.unit}
            onChange={(event) => (when.unit = event.currentTarget.value)}
          >
            {Object.entries(units).map(([seconds, name]) => (
              <option key={seconds} value={seconds}>
                {name}
              </option>
            ))}
          </select>
        </span>
      )}
      {choice("at", "at")}
      {kind === "at" && (
        <input
          type="datetime-local"
          step="1"
          aria-label="date and time, local"
          value={when.at}
          onInput={(event) => (when.at = event.currentTarget.value)}
        />
      )}
    </fieldset>
  );
}
