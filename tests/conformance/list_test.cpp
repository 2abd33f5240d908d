// Lists: filters and pages.
#include "conformance/fixture.h"
#include "core/record/state_filter.h"

namespace longshore::conformance {
namespace {

class StoreList : public StoreTest {
 protected:
  using Ids = std::vector<JobId>;
  Ids list(ListQuery query) {
    query.ns = "default";
    const auto page = catalog().list(query);
    EXPECT_TRUE(page.ok());
    Ids ids;
    if (page) {
      for (const JobSummary& each : page->jobs) ids.push_back(each.job.id);
    }
    return ids;
  }
  Ids in(std::string_view words, std::string_view profile = "native") {
    return list({.states = read_states(words, profile).value()});
  }
  // Page after page, one job each.
  Ids page_by_page(ListQuery query) {
    query.ns = "default";
    query.limit = 1;
    Ids ids;
    do {
      const auto page = catalog().list(query);
      EXPECT_TRUE(page.ok());
      if (!page) break;
      for (const JobSummary& each : page->jobs) ids.push_back(each.job.id);
      query.before = page->next;
    } while (query.before);
    return ids;
  }
};
INSTANTIATE_TEST_SUITE_P(, StoreList, every_store(), store_name);

TEST_P(StoreList, ShowsTheNewestFirst) {
  const JobId one = enqueue();
  const JobId two = enqueue();
  const JobId three = enqueue();
  EXPECT_EQ(list({}), (Ids{three, two, one}));
}

TEST_P(StoreList, FiltersByState) {
  const JobId failed = dead();
  const JobId queued = enqueue();
  EXPECT_EQ(list({.states = {{.state = State::dead}}}), Ids{failed});
  EXPECT_EQ(list({.states = {{.state = State::queued}}}), Ids{queued});
  EXPECT_EQ(list({.states = {{.state = State::running}}}), Ids{});
}

TEST_P(StoreList, FiltersBySeveralStates) {
  const JobId failed = dead();
  const JobId won = succeeded();
  const JobId waits = retrying();
  const Lease held = running();
  const JobId gone = canceled();
  const JobId later = enqueue({.run_at = now() + seconds(60)});
  const JobId queued = enqueue();
  EXPECT_EQ(in("DEAD,RUNNING"), (Ids{held.job, failed}));
  EXPECT_EQ(in("SUCCESS,DEAD,CANCELED"), (Ids{gone, won, failed}));
  EXPECT_EQ(in("SCHEDULED,RETRY"), (Ids{later, waits}));
  EXPECT_EQ(in("QUEUED,SUCCESS"), (Ids{queued, won}));
  EXPECT_EQ(in("DEAD,DEAD,FAILED"), Ids{failed});
  EXPECT_EQ(in("CREATED,WAITING"), Ids{});
  EXPECT_EQ(in("PENDING"), (Ids{queued, later, waits}));
  EXPECT_EQ(in("COMPLETED,FAILED,CANCELED"), (Ids{gone, won, failed}));
  EXPECT_EQ(page_by_page({.states = *read_states("PENDING,DEAD,SUCCESS", "native")}),
            (Ids{queued, later, waits, won, failed}));
}

TEST_P(StoreList, TellsJobsThatHaveStartedFromOthers) {
  const Lease released = running();
  release(released);
  const JobId fresh = enqueue();
  const JobId waits = retrying({.queue = "q"});
  EXPECT_EQ(in("initial", "external"), Ids{fresh});
  EXPECT_EQ(in("error", "external"), (Ids{waits, released.job}));
  EXPECT_EQ(in("error,initial", "external"), (Ids{waits, fresh, released.job}));
  EXPECT_EQ(page_by_page({.states = *read_states("error", "external")}),
            (Ids{waits, released.job}));
}

TEST_P(StoreList, TellsWithdrawnJobsFromDeadLetters) {
  reopen_under("scheduler");
  const JobId failed = dead();
  const JobId gone = canceled();
  const JobId last = dead();
  ASSERT_EQ(job(gone).state, State::dead);
  EXPECT_EQ(in("DEAD"), (Ids{last, gone, failed}));
  EXPECT_EQ(in("FAILED"), (Ids{last, failed}));
  EXPECT_EQ(in("CANCELED"), Ids{gone});
  EXPECT_EQ(in("CANCELED,FAILED"), (Ids{last, gone, failed}));
  EXPECT_EQ(in("Failed", "scheduler"), (Ids{last, gone, failed}));
  EXPECT_EQ(page_by_page({.states = *read_states("FAILED", "native")}), (Ids{last, failed}));
  EXPECT_EQ(list({.states = *read_states("FAILED", "native"), .before = last}), Ids{failed});
}

TEST_P(StoreList, BringsTheLatestErrorWithoutItsDetails) {
  const Lease lease = running();
  fail(lease, {.error = {.code = "DISK_FULL", .message = "no space\nleft", .details = "[1]"}});
  succeeded({.queue = "q"});
  const auto page = catalog().list({.ns = "default"});
  ASSERT_EQ(page->jobs.size(), 2u);
  EXPECT_FALSE(page->jobs[0].error);
  EXPECT_EQ(page->jobs[1].error, (JobError{.code = "DISK_FULL", .message = "no space\nleft"}));
}

TEST_P(StoreList, FiltersByTypeQueueTagAndKeys) {
  NewJob wanted =
      with_defaults({.type = "mail", .queue = "post", .job_key = "k", .idempotency_key = "i"});
  wanted.body.tags = {"red", "blue"};
  const JobId id = enqueue(wanted);
  enqueue();
  EXPECT_EQ(list({.type = "mail"}), Ids{id});
  EXPECT_EQ(list({.queue = "post"}), Ids{id});
  EXPECT_EQ(list({.tag = "blue"}), Ids{id});
  EXPECT_EQ(list({.tag = "blu"}), Ids{});
  EXPECT_EQ(list({.job_key = "k"}), Ids{id});
  EXPECT_EQ(list({.idempotency_key = "i"}), Ids{id});
  EXPECT_EQ(list({.type = "mail", .queue = "default"}), Ids{});
}

TEST_P(StoreList, FiltersByPartOfTheLatestError) {
  const Lease lease = running();
  fail(lease, {.error = {.code = "DISK_FULL", .message = "no space left"}});
  enqueue();
  EXPECT_EQ(list({.error = "space"}), Ids{lease.job});
  EXPECT_EQ(list({.error = "DISK"}), Ids{lease.job});
  EXPECT_EQ(list({.error = "net"}), Ids{});
}

TEST_P(StoreList, FindsEndedJobsAmongLiveOnes) {
  NewJob mail{.type = "mail", .queue = "post", .job_key = "k"};
  mail.body.tags = {"green", "red"};
  const JobError full{.code = "DISK_FULL", .message = "no space left"};
  const JobId won = succeeded(mail);
  const Lease lost = running(mail);
  fail(lost, {.error = full, .retryable = false});
  const JobId other = succeeded();
  const JobId withdrawn = canceled(mail);
  const Lease again = running(mail);
  fail(again, {.error = full, .retry_after = seconds(60)});
  const JobId waits = enqueue();
  EXPECT_EQ(list({}), (Ids{waits, again.job, withdrawn, other, lost.job, won}));
  const Ids mails{again.job, withdrawn, lost.job, won};
  EXPECT_EQ(list({.type = "mail"}), mails);
  EXPECT_EQ(list({.queue = "post"}), mails);
  EXPECT_EQ(list({.job_key = "k"}), mails);
  EXPECT_EQ(list({.tag = "red"}), mails);
  EXPECT_EQ(list({.tag = "red", .before = withdrawn}), (Ids{lost.job, won}));
  EXPECT_EQ(list({.tag = "red", .job_key = "k", .limit = 1}), Ids{again.job});
  EXPECT_EQ(list({.states = {{.state = State::success}}, .tag = "red"}), Ids{won});
  EXPECT_EQ(list({.job_key = ""}), (Ids{waits, other}));
  EXPECT_EQ(list({.error = "DISK"}), (Ids{again.job, lost.job}));
  EXPECT_EQ(list({.error = "CANCEL"}), Ids{withdrawn});
  EXPECT_EQ(list({.states = {{.state = State::success}}, .type = "mail"}), Ids{won});
  EXPECT_EQ(list({.states = {{.state = State::canceled}}, .queue = "post"}), Ids{withdrawn});
  EXPECT_FALSE(catalog().list({.ns = "default", .queue = "post", .limit = 4})->next);
}

TEST_P(StoreList, FiltersByTheTimeOfCreation) {
  const JobId old = enqueue();
  advance(seconds(10));
  const Instant between = now();
  advance(seconds(10));
  const JobId young = enqueue();
  EXPECT_EQ(list({.created_after = between}), Ids{young});
  EXPECT_EQ(list({.created_before = between}), Ids{old});
  EXPECT_EQ(list({.created_after = job(young).created_at}), Ids{young});
  EXPECT_EQ(list({.created_before = job(old).created_at}), Ids{});
}

TEST_P(StoreList, HidesWhatWasRedriven) {
  const JobId old = dead();
  redrive(old);
  const JobId other = dead({.queue = "q"});
  EXPECT_EQ(list({.states = {{.state = State::dead}}, .hide_redriven = true}), Ids{other});
  EXPECT_EQ(list({.states = {{.state = State::dead}}}).size(), 2u);
}

TEST_P(StoreList, GoesFromPageToPage) {
  std::vector<JobId> all;
  for (int i = 0; i < 7; ++i) all.insert(all.begin(), enqueue());
  std::vector<JobId> seen;
  ListQuery query{.ns = "default", .limit = 3};
  for (int pages = 0; pages < 10; ++pages) {
    const auto page = catalog().list(query);
    ASSERT_TRUE(page.ok());
    EXPECT_LE(page->jobs.size(), 3u);
    for (const JobSummary& each : page->jobs) seen.push_back(each.job.id);
    if (!page->next) break;
    query.before = page->next;
  }
  EXPECT_EQ(seen, all);
}

TEST_P(StoreList, PagesThroughFilteredJobsToo) {
  std::vector<JobId> mails;
  for (int i = 0; i < 5; ++i) {
    mails.insert(mails.begin(), enqueue({.type = "mail"}));
    enqueue({.type = "print"});
  }
  std::vector<JobId> seen;
  ListQuery query{.ns = "default", .type = "mail", .limit = 2};
  for (int pages = 0; pages < 10; ++pages) {
    const auto page = catalog().list(query);
    ASSERT_TRUE(page.ok());
    for (const JobSummary& each : page->jobs) seen.push_back(each.job.id);
    if (!page->next) break;
    query.before = page->next;
  }
  EXPECT_EQ(seen, mails);
}

TEST_P(StoreList, IsNotDisturbedByJobsThatComeBetweenPages) {
  const JobId one = enqueue();
  const JobId two = enqueue();
  const auto first = catalog().list({.ns = "default", .limit = 1});
  ASSERT_TRUE(first->next.has_value());
  EXPECT_EQ(first->jobs.at(0).job.id, two);
  enqueue();
  const auto second = catalog().list({.ns = "default", .limit = 1, .before = first->next});
  EXPECT_EQ(second->jobs.at(0).job.id, one);
}

TEST_P(StoreList, BringsTheTags) {
  NewJob wanted = with_defaults({});
  wanted.body.tags = {"red", "blue"};
  enqueue(wanted);
  EXPECT_EQ(catalog().list({.ns = "default"})->jobs.at(0).tags, wanted.body.tags);
}

TEST_P(StoreList, ShowsOneNamespace) {
  enqueue_in("other");
  EXPECT_EQ(list({}), Ids{});
}

}  // namespace
}  // namespace longshore::conformance
