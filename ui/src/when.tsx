// When a job that is run again starts: now, after a while, or at a time.
import { useState } from "preact/hooks";

type Kind = "now" | "in" | "at";

export interface When {
  kind: Kind;
  amount: string;
  unit: string; // in seconds
  at: string; // local time, as the browser's field writes it
}

export const atOnce = (): When => ({ kind: "now", amount: "10", unit: "60", at: "" });

const units = { 1: "seconds", 60: "minutes", 3600: "hours", 86400: "days" };

// What the server is told. Throws what to do if there is no time in it.
export function startOf(when: When): { delaySeconds?: number; runAt?: string } {
  if (when.kind === "now") return {};
  if (when.kind === "in") {
    const seconds = Number(when.amount) * Number(when.unit);
    if (when.amount === "" || !(seconds >= 0)) throw new Error("Enter how much later it runs");
    return { delaySeconds: seconds };
  }
  if (when.at === "") throw new Error("Enter the date and time at which it runs");
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
      <legend>Run it</legend>
      {choice("now", "now")}
      {choice("in", "in")}
      {kind === "in" && (
        <span>
          <input
            type="number"
            min="0"
            step="any"
            aria-label="how much later"
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
