#include "store/memory/store.h"

#include <iterator>
#include <utility>

#include "core/command_check.h"
#include "core/mutex.h"
#include "store/memory/catalog.h"
#include "store/memory/verbs.h"
#include "store/news/local_wakeups.h"

namespace longshore {
namespace {

using memory::Step;

Capabilities memory_capabilities() {
  return {.name = "memory",
          .durability = Durability::c,
          .lanes = 1,
          .shared = false,
          .injected_clock = true,
          .survives_reopen = true};
}

class MemoryStore final : public Backend, public Store, public Catalog {
 public:
  MemoryStore(MemoryDisk& disk, Clock& clock) : clock_(clock, disk.highest_time), disk_(disk) {}

  Store& store() override { return *this; }
  Catalog& catalog() override { return *this; }
  Wakeups& wakeups() override { return wakeups_; }
  std::shared_ptr<const StoredRules> rules() const override {
    MutexLock lock(mutex_);
    return disk_.rules;
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
  Result<ListPage> list(const ListQuery& query) override {
    MutexLock lock(mutex_);
    return memory::list(disk_, query);
  }
  Result<std::vector<AttemptLog>> logs(const std::string& ns, const JobId& id) override {
    MutexLock lock(mutex_);
    return memory::logs(disk_, ns, id);
  }
  Result<std::int64_t> ahead(const std::string& ns, const JobId& id, std::int64_t most) override {
    MutexLock lock(mutex_);
    return memory::ahead(disk_, ns, id, most);
  }
  Result<std::vector<QueueView>> queues(const std::string& ns) override {
    MutexLock lock(mutex_);
    return memory::queues(disk_, ns);
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
  Result<Audit> audit() override {
    MutexLock lock(mutex_);
    return memory::audit(disk_, disk_.rules->for_audit());
  }

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
  Step step{.disk = disk_, .rules = record->rules, .now = read_clock()};
  Verdict verdict = std::visit([&](const auto& said) { return memory::run(step, said); }, command);
  if (std::holds_alternative<Refusal>(verdict)) return verdict;
  std::ranges::move(step.happened, std::back_inserter(committed.happened));
  worth_a_look.merge(step.worth_a_look);
  return verdict;
}

// Written down, so that a store opened here later does not go back either.
Instant MemoryStore::read_clock() {
  mutex_.assert_held();
  return disk_.highest_time = clock_.now();
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
