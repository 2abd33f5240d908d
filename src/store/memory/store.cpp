#include "store/memory/store.h"

#include <iterator>
#include <utility>

#include "core/rules/command_check.h"
#include "core/sync/mutex.h"
#include "core/time/store_time.h"
#include "store/memory/catalog.h"
#include "store/memory/verbs.h"
#include "store/notifications/local_wakeups.h"

namespace longshore {
namespace {

using memory::Step;

// Jobs that a list looks at before it lets others in: a few milliseconds.
constexpr int looks_at_once = 5000;

Capabilities memory_capabilities() {
  return {.name = "memory",
          .durability = Durability::c,
          .max_concurrent_commits = 1,
          .shared = false,
          .injected_clock = true,
          .survives_reopen = true};
}

class MemoryStore final : public Backend, public Store, public Catalog {
 public:
  MemoryStore(MemoryDisk& disk, Clock& clock)
      : clock_(clock, {.highest = disk.highest_time, .stepped_at = disk.stepped_at}), disk_(disk) {
    clock_.now();
  }

  Store& store() override { return *this; }
  Catalog& catalog() override { return *this; }
  Wakeups& wakeups() override { return wakeups_; }
  std::shared_ptr<const StoredRules> rules() const override {
    MutexLock lock(mutex_);
    return disk_.rules;
  }

  ClockReport clock() const override { return clock_.time().report(); }
  void listen_for_clock_steps(std::function<void(const std::string&)> listener) override {
    clock_.time().listen(std::move(listener));
  }

  Result<Committed> commit(std::span<const Command> commands) override;
  const Capabilities& capabilities() const override { return capabilities_; }

  Result<Instant> now() override {
    MutexLock lock(mutex_);
    return read_clock();
  }
  Result<JobRecord> get(const std::string& ns, const JobId& id) override {
    MutexLock lock(mutex_);
    return memory::get(disk_, ns, id);
  }
  Result<Job> glance(const std::string& ns, const JobId& id) override {
    MutexLock lock(mutex_);
    return memory::glance(disk_, ns, id);
  }
  Result<Job> find_by_key(const std::string& ns, const std::string& type,
                          const std::string& key) override {
    MutexLock lock(mutex_);
    return memory::glance_by_key(disk_, {ns, type, key});
  }
  Result<KeyView> find_idempotency_key(const std::string& ns, const std::string& key) override {
    MutexLock lock(mutex_);
    return memory::find_idempotency_key(disk_, ns, key);
  }
  Result<std::vector<std::int64_t>> versions(const std::string& ns,
                                             std::span<const JobId> ids) override {
    MutexLock lock(mutex_);
    return memory::versions(disk_, ns, ids);
  }
  Result<ListPage> list(const ListQuery& query) override;
  Result<std::vector<AttemptLog>> logs(const std::string& ns, const JobId& id) override {
    MutexLock lock(mutex_);
    return memory::logs(disk_, ns, id);
  }
  Result<std::int64_t> ahead(const std::string& ns, const JobId& id, std::int64_t most) override {
    MutexLock lock(mutex_);
    return memory::ahead(disk_, ns, id, most);
  }
  Result<std::vector<QueueView>> queues(const std::string& ns, const std::string& from,
                                        int limit) override {
    MutexLock lock(mutex_);
    return memory::queues(disk_, ns, from, limit);
  }
  Result<std::vector<WorkerView>> workers(const std::string& ns) override {
    MutexLock lock(mutex_);
    return memory::workers(disk_, ns);
  }
  Result<std::vector<NodeView>> nodes() override {
    MutexLock lock(mutex_);
    return memory::nodes(disk_);
  }
  Result<std::vector<MinuteRow>> minutes(const std::string& ns, Instant since) override {
    MutexLock lock(mutex_);
    return memory::minutes(disk_, ns, since);
  }
  Result<std::vector<ErrorGroup>> error_groups(const std::string& ns) override {
    MutexLock lock(mutex_);
    return memory::error_groups(disk_, ns);
  }
  Result<std::vector<GroupJobs>> jobs_of_groups(std::span<const ErrorGroup> groups,
                                                int most) override {
    MutexLock lock(mutex_);
    return memory::jobs_of_groups(disk_, groups, most);
  }
  Result<std::vector<AuditEntry>> audit_trail(const std::string& ns, int limit,
                                              std::optional<std::int64_t> before) override {
    MutexLock lock(mutex_);
    return memory::audit_trail(disk_, ns, limit, before);
  }
  Result<std::vector<TokenRecord>> tokens() override {
    MutexLock lock(mutex_);
    return memory::tokens(disk_);
  }
  Result<Configure> configuration() override {
    MutexLock lock(mutex_);
    return memory::configuration(disk_);
  }
  Result<StoredRules> stored_rules() override { return *rules(); }
  Result<Nothing> each(const std::function<bool(const JobRecord&)>& visit) override;
  Result<Audit> audit(const AuditWatch& watch) override;

 private:
  Instant read_clock();
  Verdict judge(const Command& command, Committed& committed,
                std::set<MemoryDisk::Scoped>& worth_a_look);

  // Constant after construction.
  Capabilities capabilities_ = memory_capabilities();

  MonotonicClock clock_;
  LocalWakeups wakeups_;

  mutable Mutex mutex_;
  MemoryDisk& disk_ LONGSHORE_GUARDED_BY(mutex_);
};

Result<Committed> MemoryStore::commit(std::span<const Command> commands) {
  Committed committed;
  std::set<MemoryDisk::Scoped> worth_a_look;
  {
    MutexLock lock(mutex_);
    for (const Command& command : commands) {
      committed.verdicts.push_back(judge(command, committed, worth_a_look));
    }
    committed.at = disk_.committed_at = read_clock();
  }
  std::set<std::string> hints;
  for (const MemoryDisk::Scoped& queue : worth_a_look) hints.insert(queue.ns + "/" + queue.name);
  wakeups_.hint(std::move(hints));
  return committed;
}

Verdict MemoryStore::judge(const Command& command, Committed& committed,
                           std::set<MemoryDisk::Scoped>& worth_a_look) {
  mutex_.assert_held();
  const std::shared_ptr<const RulesRecord> record = disk_.rules;  // the command may replace it
  if (std::optional<Refusal> refusal = check(command, record->rules)) return *refusal;
  const Instant now = read_clock();
  Step step{.disk = disk_,
            .rules = record->rules,
            .now = now,
            .prune_by = clock_.time().prune_by(),
            .events = {},
            .worth_a_look = {}};
  memory::move_leases(step, clock_.time().take_jump());
  Verdict verdict = std::visit([&](const auto& said) { return memory::run(step, said); }, command);
  if (std::holds_alternative<Refusal>(verdict)) return verdict;
  std::ranges::move(step.events, std::back_inserter(committed.events));
  worth_a_look.merge(step.worth_a_look);
  return verdict;
}

// Written down, so that a store opened here later does not go back either.
Instant MemoryStore::read_clock() {
  mutex_.assert_held();
  disk_.highest_time = clock_.now();
  disk_.stepped_at = clock_.time().stepped_at();
  return disk_.highest_time;
}

// A slice at a time, each of its own moment: commits go on between them.
Result<ListPage> MemoryStore::list(const ListQuery& query) {
  if (query.limit < 1) return Error{.code = Errc::invalid, .message = "limit must be at least 1"};
  ListPage page;
  ListQuery rest = query;
  for (bool more = true; more;) {
    if (query.stop) {
      if (auto error = query.stop()) return *error;
    }
    MutexLock lock(mutex_);
    rest.before = memory::list_slice(disk_, rest, looks_at_once, page);
    more = rest.before.has_value();
  }
  return page;
}

// One moment is copied and then looked at, so that commits wait for the copy alone.
Result<Audit> MemoryStore::audit(const AuditWatch& watch) {
  std::unique_ptr<MemoryDisk> moment;
  {
    MutexLock lock(mutex_);
    moment = std::make_unique<MemoryDisk>(disk_);
  }
  std::optional<Audit> audit = memory::audit(*moment, moment->rules->for_audit(), watch);
  if (!audit) return Error{.code = Errc::unavailable, .message = "the check was ended"};
  return with_clock(std::move(*audit), clock_.time());
}

Result<Nothing> MemoryStore::each(const std::function<bool(const JobRecord&)>& visit) {
  std::vector<JobRecord> records;
  {
    MutexLock lock(mutex_);
    records = memory::all_records(disk_);
  }
  for (const JobRecord& record : records) {
    if (!visit(record)) break;
  }
  return Nothing{};
}

}  // namespace

Result<std::unique_ptr<Backend>> open_memory(MemoryDisk& disk, Clock& clock, const Rules& rules) {
  if (!disk.rules) disk.rules = std::make_shared<const RulesRecord>(first_record(rules));
  const auto agreed = agree_on_rules(record_text(*disk.rules), rules, "this store", "use another");
  if (!agreed) return agreed.error();
  return std::unique_ptr<Backend>(std::make_unique<MemoryStore>(disk, clock));
}

}  // namespace longshore
