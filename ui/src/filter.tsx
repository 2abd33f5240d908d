// The filter bar of a list. The filter is stored in the URL.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { go, requery, route } from "./route";
import { useQueues, useStats } from "./sources";
import { states } from "./types";

export const filterNames = [
  "state",
  "jobType",
  "queue",
  "tag",
  "jobKey",
  "idempotencyKey",
  "error",
  "createdAfter",
  "createdBefore",
] as const;

// The API's filter parameters for this URL; "within" is relative to now.
export function filterOf(parameters: Record<string, string>, now: number): Record<string, string> {
  const filter: Record<string, string> = {};
  for (const name of filterNames) if (parameters[name]) filter[name] = parameters[name];
  const minutes = withins[parameters.within ?? ""];
  if (minutes && !filter.createdAfter) {
    filter.createdAfter = new Date(now - minutes * 60_000).toISOString();
  }
  return filter;
}

const withins: Record<string, number> = {
  "15m": 15,
  "1h": 60,
  "6h": 360,
  "24h": 1440,
  "7d": 10_080,
};
const withinWords: Record<string, string> = {
  "": "any time",
  "15m": "last 15 minutes",
  "1h": "last hour",
  "6h": "last 6 hours",
  "24h": "last day",
  "7d": "last week",
};

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function FilterBar({ dead }: { dead: boolean }) {
  const parameters = route.value.query;
  const queues = useQueues();
  const stats = useStats("24h");
  const set = (name: string, value: string) => requery({ [name]: value, cursor: undefined });
  const isSet = [...filterNames, "within"].some((name) => parameters[name]);
  const clear = () =>
    requery(
      Object.fromEntries([...filterNames, "within", "cursor"].map((name) => [name, undefined])),
    );
  return (
    <form class="filter" role="search" onSubmit={(event) => event.preventDefault()}>
      {!dead && (
        <label>
          <span>State</span>
          <select
            value={parameters.state ?? ""}
            onChange={(event) => set("state", event.currentTarget.value)}
          >
            <option value="">any</option>
            {states.map((state) => (
              <option key={state} value={state}>
                {state.toLowerCase()}
              </option>
            ))}
          </select>
        </label>
      )}
      <Field
        name="jobType"
        label="Type"
        hint={stats.value?.jobTypes.map((row) => row.jobType)}
        set={set}
      />
      <Field name="queue" label="Queue" hint={queues.value?.map((row) => row.queue)} set={set} />
      <Field name="tag" label="Tag" set={set} />
      <Field
        name="jobKey"
        label="Key or job ID"
        set={(name, value) =>
          uuid.test(value) ? go("jobs", {}, value.toLowerCase()) : set(name, value)
        }
      />
      <Field name="error" label="Error text" set={set} />
      <label>
        <span>Created</span>
        <select
          value={parameters.within ?? ""}
          onChange={(event) => set("within", event.currentTarget.value)}
        >
          {Object.entries(withinWords).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </label>
      {(["idempotencyKey", "createdAfter", "createdBefore"] as const).map(
        (name) =>
          parameters[name] && (
            <button key={name} class="chip" type="button" onClick={() => set(name, "")}>
              {name} {parameters[name]} <span aria-hidden="true">×</span>
              <span class="unseen">remove</span>
            </button>
          ),
      )}
      <button class={"quiet" + (isSet ? "" : " away")} type="button" onClick={clear}>
        Clear
      </button>
    </form>
  );
}

interface FieldProps {
  name: string;
  label: string;
  hint?: string[];
  set: (name: string, value: string) => void;
}

// Applies after a pause in typing, or at once on Enter.
function Field({ name, label, hint, set }: FieldProps) {
  const held = route.value.query[name] ?? "";
  const [text, setText] = useState(held);
  const planned = useRef<ReturnType<typeof setTimeout>>();
  // A layout effect, so that it does not undo the next key.
  useLayoutEffect(() => setText(held), [held]);
  const plan = (value: string, wait: number) => {
    clearTimeout(planned.current);
    setText(value);
    planned.current = setTimeout(() => {
      if (value.trim() !== held) set(name, value.trim());
    }, wait);
  };
  return (
    <label>
      <span>{label}</span>
      <input
        type="search"
        name={name}
        value={text}
        list={hint && `hint-${name}`}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => plan(event.currentTarget.value, 400)}
        onKeyDown={(event) => event.key === "Enter" && plan(event.currentTarget.value, 0)}
      />
      {hint && (
        <datalist id={`hint-${name}`}>
          {hint.map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      )}
    </label>
  );
}
