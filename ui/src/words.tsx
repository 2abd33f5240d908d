// A job's state as one of the profiles calls it, and the choice of the profile. The address
// remembers it.
import { useRef } from "preact/hooks";
import { get } from "./api";
import { useData } from "./data";
import { requery, route } from "./route";
import type { JobDetails } from "./types";

const own = "longshore";
const profiles = ["basic", "endpoints", "scheduler", "external", "orchestrator"];

const chosen = () => {
  const asked = route.value.query.view ?? "";
  return profiles.includes(asked) ? asked : own;
};

export function WordsChooser() {
  return (
    <label class="words">
      words of
      <select
        value={chosen()}
        onChange={({ currentTarget: { value } }) =>
          requery({ view: value === own ? undefined : value })
        }
      >
        {[own, ...profiles].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

export function StateInWords({ job }: { job: JobDetails }) {
  const view = chosen();
  return view === own ? null : <Word key={view} job={job} view={view} />;
}

// Each profile answers in its own fields.
interface Told {
  state?: string;
  status?: string;
  Status?: string;
  StatusNumber?: number;
}

// Asked again for each version of the job; until the answer is there, the last one stays.
function Word({ job, view }: { job: JobDetails; view: string }) {
  const path = `jobs/${job.jobId}/details?view=${view}`;
  const told = useData(`${path}#${job.version}`, () => get<Told>(path), { settled: () => true });
  const last = useRef<Told>();
  last.current = told.value ?? last.current;
  const known = last.current;
  return (
    <span class="word" title={`Its state in the words of ${view}`}>
      {known ? (known.state ?? known.Status ?? known.status) : told.problem ? "not known now" : "…"}
      {known?.StatusNumber !== undefined && <b> {known.StatusNumber}</b>}
    </span>
  );
}
