// What a transaction will want, found out from its commands before the first is judged, and asked
// for in one exchange: keys in the order of keys, jobs in the order of ids, then what nobody waits
// for. The time is asked last, so that it is no earlier than any lock; keys.h says what time it is
// when a key has to be asked for later.
#include <algorithm>
#include <utility>

#include "core/rules/enqueue.h"
#include "store/postgres/connection/settings.h"
#include "store/postgres/write/transaction.h"

namespace longshore::postgres {
namespace {

constexpr Sql begin_transaction = {"BEGIN ISOLATION LEVEL READ COMMITTED"};
constexpr Sql moment = {
    "SELECT @store_time(), nextval('@step'), (SELECT config FROM @store), @store_micros()"};
const std::string prove_moment_text = proof_of_moment(1);
// Takes numbers, too, which the next statements count from.
const std::string take_numbers_text =
    "SELECT proved, nextval('@step') FROM (" + prove_moment_text + ") AS moment";
constexpr std::int64_t steps_at_once = 1000;
// A new job takes two, and none is called 0.
constexpr std::size_t fresh_at_once = (steps_at_once - 1) / 2;

// To look for so few costs nothing beside the transaction.
constexpr std::size_t few_claims = 16;

// Sends a statement about these ids along with the others; none if there are none.
template <class AnyId>
void ask_for(Connection& connection, const Sql& sql, const std::vector<AnyId>& ids) {
  if (ids.empty()) return;
  Parameters parameters;
  parameters.add(ids_column(ids));
  connection.enqueue_statement(sql, std::move(parameters));
}

}  // namespace

// What the commands name.
class Prefetch {
 public:
  Prefetch(std::span<const Command> commands, bool wary, const Config& config) : config_(config) {
    for (const Command& command : commands) {
      std::visit([this](const auto& said) { look(said); }, command);
    }
    only_plain_claims = only_plain_claims && !names_a_claim_twice();
    if (wary) new_ids.insert(new_ids.end(), fresh.begin(), fresh.end());
    if (wary || new_claims.size() <= few_claims) {
      old_claims.insert(old_claims.end(), new_claims.begin(), new_claims.end());
      new_claims.clear();
    }
    // Those are judged when all others are written, and so have to come after them.
    const bool claims_last = std::ranges::is_partitioned(
        commands, [](const Command& command) { return !std::holds_alternative<Claim>(command); });
    only_plain_claims = only_plain_claims && claims_last &&
                        jobs_claimed_ <= OptimisticClaim::jobs_max &&
                        (first_claim == nullptr || OptimisticClaim::fits(*first_claim, config));
    ids.insert(ids.end(), new_ids.begin(), new_ids.end());
    std::ranges::sort(ids);
    const auto rest = std::ranges::unique(ids);
    ids.erase(rest.begin(), rest.end());
    std::ranges::sort(fresh);
  }

  std::vector<JobId> ids;      // to be looked for
  std::vector<JobId> new_ids;  // those of them that are hardly there
  // New jobs that nothing can come of but a row of their own, which fails if there is one already.
  std::vector<JobId> fresh;
  std::map<IdempotencyKey, BoundKey> idempotency;
  std::map<JobKey, JobId> job_keys;
  // Claims that may hold something already, to be looked for.
  std::vector<RequestId> old_claims;
  // Those that are taken for new: their first job fails to be listed if there is one already.
  std::vector<RequestId> new_claims;
  // Whether jobs are named by those alone that say they are done, beside claims and plain new jobs.
  // Nothing else that such a batch locks makes it wait for a job.
  bool only_completes = true;
  // Whether all new jobs are ready at once.
  bool only_ready = true;
  // Namespaces in which claims have to know how many jobs run.
  std::set<std::string> limited;
  // Whether all claims can be served outright, if there are any.
  bool only_plain_claims = true;
  const Claim* first_claim = nullptr;

 private:
  // The second one is written as heard again, which no statement that starts jobs does.
  bool names_a_claim_twice() const {
    if (old_claims.size() + new_claims.size() < 2) return false;
    std::vector<RequestId> all = old_claims;
    all.insert(all.end(), new_claims.begin(), new_claims.end());
    std::ranges::sort(all);
    return std::ranges::adjacent_find(all) != all.end();
  }
  void look(const Complete& complete) { ids.push_back(complete.job); }
  void look(const Enqueue& enqueue) {
    for (const NewJob& job : enqueue.jobs) {
      const bool plain =
          job.idempotency_key.empty() && job.job_key.empty() && !job.expires_at.has_value();
      (plain ? fresh : new_ids).push_back(job.id);
      only_completes = only_completes && plain;
      only_ready = only_ready && !job.run_at && job.delay == Duration();
      if (!job.idempotency_key.empty()) {
        idempotency.try_emplace({enqueue.ns, is_platform_type(job.type), job.idempotency_key},
                                BoundKey{.job = job.id, .body_hash = job.body_hash});
      }
      if (!job.job_key.empty()) job_keys.try_emplace({enqueue.ns, job.type, job.job_key}, job.id);
    }
  }
  void look(const Accept& accept) {
    ids.insert(ids.end(), accept.jobs.begin(), accept.jobs.end());
    only_completes = false;
  }
  void look(const Claim& claim) {
    if (first_claim == nullptr) first_claim = &claim;
    only_plain_claims = only_plain_claims && OptimisticClaim::are_alike(*first_claim, claim);
    jobs_claimed_ += claim.limit;
    for (const std::string& queue : claim.queues) {
      if (config_.limits_queue(claim.ns, queue) || config_.limits_types(claim.ns)) {
        limited.insert(claim.ns);
      }
    }
    // Of several jobs the first may have ended before the others.
    (claim.limit > 1 ? old_claims : new_claims).push_back(claim.id);
  }
  void look(const Redrive& redrive) {
    ids.push_back(redrive.job);
    ids.push_back(redrive.successor);
    only_completes = false;
  }
  template <class Said>
  requires requires(const Said& said) { said.job.high; }
  void look(const Said& said) {
    ids.push_back(said.job);
    only_completes = false;
  }
  template <class Said>
  void look(const Said&) {
    only_completes = false;
  }

  const Config& config_;
  std::int64_t jobs_claimed_ = 0;
};

void PostgresTransaction::take_for_absent(std::span<const JobId> ids) {
  for (const JobId& id : ids) {
    if (!entries_.contains(id)) absent_.insert(id);
  }
}

bool PostgresTransaction::recall(std::span<const JobId> ids, bool may) {
  if (ids.empty()) return false;
  const std::size_t known = shared_.cached_jobs.take(ids, entries_);
  if (!may || known < ids.size()) return entries_.clear(), false;
  for (auto& [id, entry] : entries_) {
    entry.remembered = true;
    entry.started = false;
    now_ = std::max(now_, entry.job().updated_at);
  }
  remembered_ = known;
  return true;
}

// The first statements are sent with the last ones. A connection that was lost while it was idle
// is found out by a question that changes nothing, so nothing is carried on from there.
bool PostgresTransaction::carry_on(bool brings_jobs) {
  static const Sql prove_moment = {prove_moment_text.c_str()};
  static const Sql take_numbers = {take_numbers_text.c_str()};
  const auto now = shared_.server_time.now("", shared_.steady());
  if (!now || config_->version == 0 || !connection_.target().prepare || connection_.stirs()) {
    return false;
  }
  for (const auto& [id, entry] : entries_) {
    if (entry.job().callback) return false;
  }
  // The store's time is rounded.
  carried_ = Instant::millis((*now + 500) / 1000);
  now_ = std::max(now_, carried_);
  Parameters parameters;
  parameters.add(carried_).add(config_->version);
  moment_at_ = connection_.enqueue_statement(brings_jobs ? take_numbers : prove_moment,
                                             std::move(parameters));
  if (brings_jobs) {
    step_ = 1;
    step_end_ = steps_at_once;
    write_back_.count_from_sequence();
  }
  return true;
}

void PostgresTransaction::begin(std::span<const Command> commands, Trust trust) {
  const bool wary = !trust.as_known;
  if (wary) write_back_.wait_for_claims();
  Prefetch wanted(commands, wary, *config_);
  entries_.reserve(commands.size());
  if (recall(wanted.ids, wanted.only_completes && !wary)) wanted.ids.clear();
  connection_.enqueue_statement(begin_transaction);
  const bool claims = wanted.first_claim != nullptr;
  const bool knows_all = wanted.ids.empty() && wanted.only_completes && wanted.only_ready &&
                         wanted.fresh.size() <= fresh_at_once &&
                         (!claims || (trust.plain && wanted.only_plain_claims));
  if (knows_all && !wary && carry_on(!wanted.fresh.empty())) {
    fresh_ = std::move(wanted.fresh);
    if (claims) optimistic_claim_.emplace();
    return;
  }
  std::size_t at = 1;
  if (!connection_.target().prepare) {
    connection_.enqueue_statement(transaction_settings());
    ++at;
  }
  if (!wanted.idempotency.empty()) keys_.enqueue_taking(wanted.idempotency);
  if (!wanted.job_keys.empty()) keys_.enqueue_taking(wanted.job_keys);
  ask_for(connection_, load_live(), wanted.ids);
  ask_for(connection_, load_done(), wanted.new_ids);
  ask_for(connection_, held_by_claims(), wanted.old_claims);
  limits_.enqueue_statement(wanted.limited);
  candidates_.enqueue_statement(commands, *config_);
  connection_.enqueue_statement(moment);

  const std::int64_t asked_at = shared_.steady();
  std::vector<RowSet> answers = connection_.exchange();
  if (connection_.trouble()) return;
  RowSet& told = answers.back();
  if (told.next()) {
    now_ = std::max(now_, told.instant());
    step_ = told.integer();
    step_end_ = step_ + steps_at_once;
  }
  const std::int64_t config_version = told.integer();
  shared_.heard(told.integer(), asked_at);
  const std::size_t keys_at = at;
  at += !wanted.idempotency.empty();
  at += !wanted.job_keys.empty();
  if (!wanted.ids.empty()) keep_all(std::move(answers[at++]));
  if (!wanted.new_ids.empty()) keep_all(std::move(answers[at++]));
  if (!wanted.old_claims.empty()) keep_held(answers[at++]);
  new_claims_ = std::move(wanted.new_claims);
  at = limits_.read(answers, at);
  candidates_.read(answers, at);
  at = keys_at;
  if (!wanted.idempotency.empty()) {
    keys_.taken_idempotency_keys(std::move(answers[at++]), wanted.idempotency);
  }
  if (!wanted.job_keys.empty()) keys_.taken_job_keys(std::move(answers[at]), wanted.job_keys);
  // A job that was reopened between the two questions is in neither answer.
  if (rules().terminal == Rules::Terminal::fixed) take_for_absent(wanted.new_ids);
  fresh_ = std::move(wanted.fresh);
  // Most jobs that somebody speaks of live; the others are looked for among the ended.
  load(wanted.ids);
  load(keys_.jobs_led_to());
  load_config_if(config_version);
}

}  // namespace longshore::postgres
