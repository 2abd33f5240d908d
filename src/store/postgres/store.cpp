#include "store/postgres/store.h"

#include <algorithm>
#include <utility>

#include "core/sync/mutex.h"
#include "store/notifications/loss_book.h"
#include "store/postgres/connection/readers.h"
#include "store/postgres/connection/url.h"
#include "store/postgres/connection/wakeups.h"
#include "store/postgres/read/audit.h"
#include "store/postgres/read/catalog.h"
#include "store/postgres/schema.h"
#include "store/postgres/write/writer.h"

namespace longshore {
namespace {

using postgres::Connection;
using postgres::Reader;
using postgres::RowSet;
using postgres::Sql;
using postgres::Target;

constexpr Sql time_now = {"SELECT @store_time()"};
// Written at once: whoever opens the store after this one goes on from there, whatever the clock
// says then.
constexpr Sql begin_counter = {
    "INSERT INTO @witness(commits, at) SELECT 0, greatest(@store_time(), max(at)) FROM @witness "
    "RETURNING id, (SELECT secret FROM @store)"};
// The highest time that is known, and the last step that a node saw.
constexpr Sql time_saved = {
    "SELECT coalesce(max(at), 0), (SELECT stepped_at FROM @store) FROM @witness"};
constexpr Sql forget_witnesses = {
    "DELETE FROM @witness WHERE at < @store_time() - 7 * 86400000 AND "
    "at < (SELECT max(at) FROM @witness)"};

Capabilities postgres_capabilities(Durability durability, int lanes) {
  return {.name = "postgres",
          .durability = durability,
          .max_concurrent_commits = lanes,
          .shared = true,
          .injected_clock = false,
          .survives_reopen = true};
}

class PostgresStore final : public Backend, public Store, public Catalog {
 public:
  // REQUIRES: the target says what is accepted.
  PostgresStore(Target target, const RulesRecord& rules, const postgres::Promise& promise,
                const StoreTime::Saved& saved, std::function<std::int64_t()> steady,
                std::string secret)
      : target_(std::move(target)),
        capabilities_(postgres_capabilities(promise.durability, target_.lanes)),
        secret_(std::move(secret)),
        conditions_(promise.durability, *target_.accepted),
        wakeups_(target_),
        writer_(target_, rules, saved, std::move(steady), wakeups_, conditions_,
                [this](const std::string& how) { losses_.add(how); }),
        readers_(target_, rules.usual) {}

  // The connection that opened the store goes on as its first writer.
  void adopt(std::unique_ptr<Connection> connection, postgres::CommitCounterId commit_counter) {
    writer_.adopt(std::move(connection), commit_counter);
  }

  Store& store() override { return *this; }
  Catalog& catalog() override { return *this; }
  Wakeups& wakeups() override { return wakeups_; }
  std::shared_ptr<const StoredRules> rules() const override { return writer_.rules(); }
  Losses losses() const override { return losses_.losses(); }
  void listen_for_losses(std::function<void(const std::string&)> listener) override {
    losses_.listen(std::move(listener));
  }
  StoreCondition condition() override { return conditions_.condition(); }
  void listen_for_condition(std::function<void(const StoreCondition&)> listener) override {
    conditions_.listen(std::move(listener));
  }
  ClockReport clock() const override { return writer_.time().report(); }
  void listen_for_clock_steps(std::function<void(const std::string&)> listener) override {
    writer_.time().listen(std::move(listener));
  }
  std::string secret() const override { return secret_; }

  Result<Committed> commit(std::span<const Command> commands) override {
    return writer_.commit(commands);
  }
  const Capabilities& capabilities() const override { return capabilities_; }

  Result<Instant> now() override {
    const Duration asked = writer_.steady_now();
    auto told = readers_.read([](Reader& reader) -> Result<Instant> {
      RowSet row = reader.connection.ask(time_now);
      return row.next() ? row.instant() : Instant();
    });
    if (!told) return told;
    writer_.heard(*told, asked);
    return writer_.highest();
  }
  Result<JobRecord> get(const std::string& ns, const JobId& id) override {
    return readers_.read([&](Reader& reader) { return postgres::get(reader, ns, id); });
  }
  Result<Job> glance(const std::string& ns, const JobId& id) override {
    return readers_.read([&](Reader& reader) { return postgres::glance(reader, ns, id); });
  }
  Result<Job> find_by_key(const std::string& ns, const std::string& type,
                          const std::string& key) override {
    return readers_.read(
        [&](Reader& reader) { return postgres::glance_by_key(reader, ns, type, key); });
  }
  Result<KeyView> find_idempotency_key(const std::string& ns, const std::string& key) override {
    return readers_.read(
        [&](Reader& reader) { return postgres::find_idempotency_key(reader, ns, key); });
  }
  Result<std::vector<std::int64_t>> versions(const std::string& ns,
                                             std::span<const JobId> ids) override {
    return readers_.read([&](Reader& reader) { return postgres::versions(reader, ns, ids); });
  }
  Result<ListPage> list(const ListQuery& query) override {
    return readers_.read([&](Reader& reader) { return postgres::list(reader, query); }, query.stop);
  }
  Result<std::vector<AttemptLog>> logs(const std::string& ns, const JobId& id) override {
    return readers_.read([&](Reader& reader) { return postgres::logs(reader, ns, id); });
  }
  Result<std::int64_t> ahead(const std::string& ns, const JobId& id, std::int64_t most) override {
    return readers_.read([&](Reader& reader) { return postgres::ahead(reader, ns, id, most); });
  }
  Result<std::vector<QueueView>> queues(const std::string& ns, const std::string& from,
                                        int limit) override {
    return readers_.read([&](Reader& reader) { return postgres::queues(reader, ns, from, limit); });
  }
  Result<std::vector<WorkerView>> workers(const std::string& ns) override {
    return readers_.read([&](Reader& reader) { return postgres::workers(reader, ns); });
  }
  Result<std::vector<NodeView>> nodes() override {
    return readers_.read([&](Reader& reader) { return postgres::nodes(reader); });
  }
  Result<std::vector<MinuteRow>> minutes(const std::string& ns, Instant since) override {
    return readers_.read([&](Reader& reader) { return postgres::minutes(reader, ns, since); });
  }
  Result<std::vector<ErrorGroup>> error_groups(const std::string& ns) override {
    return readers_.read([&](Reader& reader) { return postgres::error_groups(reader, ns); });
  }
  Result<std::vector<GroupJobs>> jobs_of_groups(std::span<const ErrorGroup> groups,
                                                int most) override {
    return readers_.read(
        [&](Reader& reader) { return postgres::jobs_of_groups(reader, groups, most); });
  }
  Result<std::vector<AuditEntry>> audit_trail(const std::string& ns, int limit,
                                              std::optional<std::int64_t> before) override {
    return readers_.read(
        [&](Reader& reader) { return postgres::audit_trail(reader, ns, limit, before); });
  }
  Result<std::vector<TokenRecord>> tokens() override {
    return readers_.read([&](Reader& reader) { return postgres::tokens(reader); });
  }
  Result<Configure> configuration() override {
    return readers_.read([&](Reader& reader) { return postgres::configuration(reader); });
  }
  Result<StoredRules> stored_rules() override {
    return readers_.read([&](Reader& reader) -> Result<StoredRules> {
      return StoredRules(*load_config(reader.connection, writer_.rules()).rules);
    });
  }
  Result<Nothing> each(const std::function<bool(const JobRecord&)>& visit) override {
    return readers_.read([&](Reader& reader) { return postgres::each(reader, visit); });
  }
  Result<Audit> audit(const AuditWatch& watch) override {
    const auto rules = readers_.read([&](Reader& reader) -> Result<Rules> {
      return load_config(reader.connection, writer_.rules()).rules->for_audit();
    });
    if (!rules) return rules.error();
    return with_clock(postgres::audit_tables(readers_, *rules, watch), writer_.time());
  }

 private:
  // Constant after construction.
  const Target target_;
  const Capabilities capabilities_;
  const std::string secret_;
  LossBook losses_;
  ConditionBook conditions_;

  // In the order of opening; closed in reverse.
  postgres::PostgresWakeups wakeups_;
  postgres::Writer writer_;
  postgres::Readers readers_;
};

}  // namespace

Result<std::unique_ptr<Backend>> open_postgres(const PostgresOptions& options, const Rules& rules) {
  auto target = postgres::parse_url(options.url);
  if (!target) return target.error();
  auto opened = Connection::open(*target);
  if (!opened) return opened.error();
  Connection& connection = **opened;
  if (options.accepted) {
    target->accepted = std::min(target->accepted.value_or(*options.accepted), *options.accepted);
  }
  target->accepted = target->accepted.value_or(Durability::a);
  const auto promise = postgres::check_server(connection);
  if (!promise) return promise.error();
  if (const auto good = postgres::migrate(connection); !good) return good.error();
  const auto record = postgres::read_rules(connection, rules);
  if (!record) return record.error();
  connection.ask(forget_witnesses);
  RowSet saved = connection.ask(time_saved);
  StoreTime::Saved time;
  if (saved.next()) time.highest = saved.instant();
  if (!connection.trouble()) time.stepped_at = saved.optional_instant();
  RowSet commit_counter = connection.ask(begin_counter);
  if (!commit_counter.next()) return error_of(*connection.trouble(), target->shown);
  const auto id = commit_counter.id<postgres::CommitCounterId>();
  auto store = std::make_unique<PostgresStore>(std::move(*target), *record, *promise, time,
                                               options.steady, commit_counter.text());
  store->adopt(std::move(*opened), id);
  if (const auto looked = store->now(); !looked) return looked.error();
  return std::unique_ptr<Backend>(std::move(store));
}

Result<std::string> plan_postgres(const std::string& url) {
  auto target = postgres::parse_url(url);
  if (!target) return target.error();
  auto opened = Connection::open(*target);
  if (!opened) return opened.error();
  return postgres::migration_plan(**opened);
}

Result<std::string> migrate_postgres(const std::string& url) {
  auto target = postgres::parse_url(url);
  if (!target) return target.error();
  auto opened = Connection::open(*target);
  if (!opened) return opened.error();
  if (const auto good = postgres::check_server(**opened); !good) return good.error();
  auto plan = postgres::migration_plan(**opened);
  if (!plan) return plan;
  if (const auto good = postgres::migrate(**opened); !good) return good.error();
  return plan;
}

}  // namespace longshore
