import { FilterBar, filterOf } from "../filter";
import { JobList, NoJobs } from "../joblist";
import { Empty } from "../pieces";
import { route } from "../route";

export function Jobs() {
  const filtered = Object.keys(filterOf(route.value.query, 0)).length > 0;
  return (
    <>
      <div class="heading">
        <h1>Jobs</h1>
      </div>
      <FilterBar dead={false} />
      <JobList source="jobs" empty={<NoJobs filtered={filtered} />} />
    </>
  );
}

export function DeadLetters() {
  const filtered = Object.keys(filterOf(route.value.query, 0)).length > 0;
  return (
    <>
      <div class="heading">
        <h1>Dead letters</h1>
        <span class="muted">Jobs that failed permanently and were not redriven</span>
      </div>
      <FilterBar dead />
      <JobList
        source="dead"
        empty={
          filtered ? (
            <NoJobs filtered />
          ) : (
            <Empty title="No dead letters">
              A job that exhausts its retries or fails permanently stays here until it is redriven.
            </Empty>
          )
        }
      />
    </>
  );
}
