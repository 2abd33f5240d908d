#include "store/sqlite/store.h"

#include <filesystem>
#include <utility>

#include "store/sqlite/file/file_system.h"
#include "store/sqlite/file/gathered_log.h"
#include "store/sqlite/file/readers.h"
#include "store/sqlite/file/schema.h"
#include "store/sqlite/file/store_lock.h"
#include "store/sqlite/read/audit.h"
#include "store/sqlite/read/catalog.h"

namespace longshore {
namespace {

using sqlite::Database;
using sqlite::Reader;

Capabilities sqlite_capabilities() {
  return {.name = "sqlite",
          .durability = Durability::a,
          .max_concurrent_commits = 1,
          .shared = false,
          .injected_clock = true,
          .survives_reopen = true};
}

class SqliteStore final : public SqliteBackend, public Store, public Catalog {
 public:
  SqliteStore(const SqliteOptions& options, Clock& clock, RulesRecord rules, sqlite::StoreLock held,
              std::unique_ptr<sqlite::GatheredLog> log, std::unique_ptr<Database> database)
      : rules_(std::move(rules)),
        held_(std::move(held)),
        log_(std::move(log)),
        writer_(
            std::move(database), rules_, clock, options.writer,
            std::make_unique<sqlite::DiskGuard>(options.path + ".reserve", options.reserve_bytes),
            wakeups_, held_.file.get()),
        readers_(options.path, options.vfs, rules_.get()->usual, options.read_max, writer_.gate(),
                 [this] { look_at_log(); }) {}

  Result<Nothing> load() { return writer_.load(); }

  Store& store() override { return *this; }
  Catalog& catalog() override { return *this; }
  Wakeups& wakeups() override { return wakeups_; }
  std::shared_ptr<const StoredRules> rules() const override { return rules_.get(); }
  std::optional<Error> broken() const override { return writer_.broken(); }
  ClockReport clock() const override { return writer_.time().report(); }
  void listen_for_clock_steps(std::function<void(const std::string&)> listener) override {
    writer_.time().listen(std::move(listener));
  }
  sqlite::WriterCounts counts() const override { return writer_.counts(); }
  Result<sqlite::InMemory> in_memory() override {
    sqlite::InMemory held;
    const auto looked =
        writer_.alone([&](sqlite::SqliteTransaction& work) { held = work.in_memory(); });
    if (!looked) return looked.error();
    return held;
  }

  Result<Committed> commit(std::span<const Command> commands) override {
    return writer_.commit(commands);
  }
  const Capabilities& capabilities() const override { return capabilities_; }

  Result<Instant> now() override { return writer_.now(); }
  Result<JobRecord> get(const std::string& ns, const JobId& id) override {
    return readers_.read([&](Reader& reader) { return sqlite::get(reader, ns, id); });
  }
  Result<Job> glance(const std::string& ns, const JobId& id) override {
    return readers_.read([&](Reader& reader) { return sqlite::glance(reader, ns, id); });
  }
  Result<Job> find_by_key(const std::string& ns, const std::string& type,
                          const std::string& key) override {
    return readers_.read(
        [&](Reader& reader) { return sqlite::glance_by_key(reader, ns, type, key); });
  }
  Result<KeyView> find_idempotency_key(const std::string& ns, const std::string& key) override {
    return readers_.read(
        [&](Reader& reader) { return sqlite::find_idempotency_key(reader, ns, key); });
  }
  Result<std::vector<std::int64_t>> versions(const std::string& ns,
                                             std::span<const JobId> ids) override {
    return readers_.read([&](Reader& reader) { return sqlite::versions(reader, ns, ids); });
  }
  Result<ListPage> list(const ListQuery& query) override {
    return sqlite::list(readers_, query, rules()->rules.cancel_path);
  }
  Result<std::vector<AttemptLog>> logs(const std::string& ns, const JobId& id) override {
    return readers_.read([&](Reader& reader) { return sqlite::logs(reader, ns, id); });
  }
  Result<std::int64_t> ahead(const std::string& ns, const JobId& id, std::int64_t most) override {
    return readers_.read([&](Reader& reader) { return sqlite::ahead(reader, ns, id, most); });
  }
  Result<std::vector<QueueView>> queues(const std::string& ns, const std::string& from,
                                        int limit) override {
    return readers_.read([&](Reader& reader) { return sqlite::queues(reader, ns, from, limit); });
  }
  Result<std::vector<WorkerView>> workers(const std::string& ns) override {
    return readers_.read([&](Reader& reader) { return sqlite::workers(reader, ns); });
  }
  Result<std::vector<NodeView>> nodes() override {
    return readers_.read([&](Reader& reader) { return sqlite::nodes(reader); });
  }
  Result<std::vector<MinuteRow>> minutes(const std::string& ns, Instant since) override {
    return sqlite::minutes(readers_, ns, since);
  }
  Result<std::vector<ErrorGroup>> error_groups(const std::string& ns) override {
    return sqlite::error_groups(readers_, ns);
  }
  Result<std::vector<GroupJobs>> jobs_of_groups(std::span<const ErrorGroup> groups,
                                                int most) override {
    return readers_.read(
        [&](Reader& reader) { return sqlite::jobs_of_groups(reader, groups, most); });
  }
  Result<std::vector<AuditEntry>> audit_trail(const std::string& ns, int limit,
                                              std::optional<std::int64_t> before) override {
    return readers_.read(
        [&](Reader& reader) { return sqlite::audit_trail(reader, ns, limit, before); });
  }
  Result<std::vector<TokenRecord>> tokens() override {
    return readers_.read([&](Reader& reader) { return sqlite::tokens(reader); });
  }
  Result<Configure> configuration() override {
    return readers_.read([&](Reader& reader) { return sqlite::configuration(reader); });
  }
  // This process is the only one that changes them.
  Result<StoredRules> stored_rules() override { return *rules(); }
  Result<Nothing> each(const std::function<bool(const JobRecord&)>& visit) override {
    return sqlite::each(readers_, visit);
  }
  Result<Audit> audit(const AuditWatch& watch) override {
    const Rules rules = rules_.get()->for_audit();
    auto audit = sqlite::audit_file(readers_, rules, watch);
    if (!audit) return audit;
    const auto looked =
        writer_.alone([&](sqlite::SqliteTransaction& work) { sqlite::audit_memory(work, *audit); });
    if (!looked) return looked.error();
    return with_clock(std::move(audit), writer_.time());
  }

 private:
  // Between two commits the writer looks by itself. If it fails, its next commit does too.
  void look_at_log() {
    [[maybe_unused]] const auto looked = writer_.alone([](sqlite::SqliteTransaction&) {});
  }

  RulesCopy rules_;
  // Constant after construction.
  const Capabilities capabilities_ = sqlite_capabilities();

  // In the order of opening; closed in reverse.
  sqlite::StoreLock held_;
  const std::unique_ptr<sqlite::GatheredLog> log_;
  LocalWakeups wakeups_;
  sqlite::Writer writer_;
  sqlite::Readers readers_;
};

}  // namespace

Result<std::unique_ptr<SqliteBackend>> open_sqlite(const SqliteOptions& options, Clock& clock,
                                                   const Rules& rules) {
  const std::string& path = options.path;
  auto held = sqlite::hold(path, options.vfs.empty(), clock.now());
  if (!held) return held.error();
  auto log = std::make_unique<sqlite::GatheredLog>(options.vfs);
  auto database = Database::open(path, log->name(), Database::Access::write);
  if (!database) return database.error();
  if (const auto good = sqlite::configure_writer(**database, path); !good) return good.error();
  if (const auto good = sqlite::migrate(**database, path); !good) return good.error();
  auto record = sqlite::read_rules(**database, rules, path);
  if (!record) return record.error();
  if (const auto good = sqlite::sync_directory(path); !good) return good.error();
  if (options.vfs.empty()) held->lock.note_made();
  auto store = std::make_unique<SqliteStore>(options, clock, std::move(*record), std::move(*held),
                                             std::move(log), std::move(*database));
  if (const auto good = store->load(); !good) return good.error();
  return std::unique_ptr<SqliteBackend>(std::move(store));
}

Result<std::string> plan_sqlite(const std::string& path) {
  // A file that is not there would be as one without tables.
  const bool is_there = std::filesystem::exists(path);
  auto database = Database::open(is_there ? path : ":memory:", "",
                                 is_there ? Database::Access::read : Database::Access::write);
  if (!database) return database.error();
  return sqlite::migration_plan(**database, path);
}

Result<std::string> migrate_sqlite(const std::string& path, Instant now) {
  const auto held = sqlite::hold(path, true, now);
  if (!held) return held.error();
  auto database = Database::open(path, "", Database::Access::write);
  if (!database) return database.error();
  if (const auto good = sqlite::configure_writer(**database, path); !good) return good.error();
  auto plan = sqlite::migration_plan(**database, path);
  if (!plan) return plan;
  if (const auto good = sqlite::migrate(**database, path); !good) return good.error();
  if (const auto good = sqlite::sync_directory(path); !good) return good.error();
  return plan;
}

}  // namespace longshore
