// A job's state in the vocabulary of a profile, and the profile selector. The choice is stored in
// the URL.
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
      View as
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

// Each profile has its own field for the state.
interface ProfileState {
  state?: string;
  status?: string;
  Status?: string;
  StatusNumber?: number;
}

// Reloaded for each version of the job; shows the last answer until the new one arrives.
function Word({ job, view }: { job: JobDetails; view: string }) {
  const path = `jobs/${job.jobId}/details?view=${view}`;
  const data = useData(`${path}#${job.version}`, () => get<ProfileState>(path), {
    settled: () => true,
  });
  const last = useRef<ProfileState>();
  last.current = data.value ?? last.current;
  const known = last.current;
  return (
    <span class="word" title={`State in the ${view} profile`}>
      {known ? (known.state ?? known.Status ?? known.status) : data.problem ? "unavailable" : "…"}
      {known?.StatusNumber !== undefined && <b> {known.StatusNumber}</b>}
    </span>
  );
}
