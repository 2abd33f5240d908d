#include "store/redis/store.h"

#include <algorithm>
#include <utility>

#include "core/policy/rules_record.h"
#include "store/notifications/loss_book.h"
#include "store/redis/catalog.h"
#include "store/redis/channel.h"
#include "store/redis/survey.h"
#include "store/redis/wakeups.h"
#include "store/redis/writer.h"

namespace longshore {
namespace {

using redis::Channel;
using redis::Keys;
using redis::Reader;
using redis::View;

// What the keys look like; a later one may know more.
constexpr std::int64_t format = 1;

class RedisStore final : public Backend, public Store, public Catalog {
 public:
  RedisStore(std::shared_ptr<LossBook> losses, std::unique_ptr<Channel> channel, RulesRecord rules,
             const RedisOptions& options, const StoreTime::Saved& saved)
      : losses_(std::move(losses)),
        channel_(std::move(channel)),
        usual_(rules.usual),
        rules_(std::move(rules)),
        time_(saved),
        around_{*channel_, rules_, copies_, options.clock, options.names, time_},
        view_{*channel_, usual_, rules_.get()->rules.cancel_path, ended_stay() ? &walks_ : nullptr,
              [this] { return time_.at(around_.steady()); }},
        capabilities_{.name = "redis",
                      .durability = channel_->conditions().condition().durability,
                      .max_concurrent_commits = channel_->url().lanes,
                      .shared = true,
                      .injected_clock = false,
                      .survives_reopen = true},
        wakeups_(*channel_),
        writer_(around_,
                [this](std::set<std::string> queues) { wakeups_.hint(std::move(queues)); }) {}

  Result<Nothing> look_around() {
    const auto names = redis::read_namespaces(*channel_);
    if (!names) return names.error();
    copies_.set_namespaces(*names);
    return read_secret();
  }

  Store& store() override { return *this; }
  Catalog& catalog() override { return *this; }
  Wakeups& wakeups() override { return wakeups_; }
  std::shared_ptr<const StoredRules> rules() const override { return rules_.get(); }
  Losses losses() const override { return losses_->losses(); }
  void listen_for_losses(std::function<void(const std::string&)> listener) override {
    losses_->listen(std::move(listener));
  }
  StoreCondition condition() override { return channel_->conditions().condition(); }
  void listen_for_condition(std::function<void(const StoreCondition&)> listener) override {
    channel_->conditions().listen(std::move(listener));
  }
  ClockReport clock() const override { return time_.report(); }
  void listen_for_clock_steps(std::function<void(const std::string&)> listener) override {
    time_.listen(std::move(listener));
  }
  std::string secret() const override { return secret_; }

  // Nothing is acknowledged that would be kept less well than was accepted, also if that came about
  // while it was written.
  Result<Committed> commit(std::span<const Command> commands) override {
    if (auto refusal = channel_->conditions().refusal()) return *refusal;
    auto committed = writer_.commit(commands);
    if (auto refusal = channel_->conditions().refusal()) return *refusal;
    return committed;
  }
  const Capabilities& capabilities() const override { return capabilities_; }

  Result<Instant> now() override {
    const Duration asked = around_.steady();
    const auto told = read_clock(*channel_, around_.clock);
    if (!told) return told.error();
    return time_.heard({.said = *told, .asked = asked, .answered = around_.steady()});
  }
  Result<JobRecord> get(const std::string& ns, const JobId& id) override {
    return redis::get(view_, ns, id);
  }
  Result<Job> glance(const std::string& ns, const JobId& id) override {
    return redis::glance(view_, ns, id);
  }
  Result<Job> find_by_key(const std::string& ns, const std::string& type,
                          const std::string& key) override {
    return redis::glance_by_key(view_, ns, type, key);
  }
  Result<KeyView> find_idempotency_key(const std::string& ns, const std::string& key) override {
    return redis::find_idempotency_key(view_, ns, key);
  }
  Result<std::vector<std::int64_t>> versions(const std::string& ns,
                                             std::span<const JobId> ids) override {
    return redis::versions(view_, ns, ids);
  }
  Result<ListPage> list(const ListQuery& query) override { return redis::list(view_, query); }
  Result<std::vector<AttemptLog>> logs(const std::string& ns, const JobId& id) override {
    return redis::logs(view_, ns, id);
  }
  Result<std::int64_t> ahead(const std::string& ns, const JobId& id, std::int64_t most) override {
    return redis::ahead(view_, ns, id, most);
  }
  Result<std::vector<QueueView>> queues(const std::string& ns, const std::string& from,
                                        int limit) override {
    return redis::queues(view_, ns, from, limit);
  }
  Result<std::vector<WorkerView>> workers(const std::string& ns) override {
    return redis::workers(view_, ns);
  }
  Result<std::vector<NodeView>> nodes() override { return redis::nodes(view_); }
  Result<std::vector<MinuteRow>> minutes(const std::string& ns, Instant since) override {
    return redis::minutes(view_, ns, since);
  }
  Result<std::vector<ErrorGroup>> error_groups(const std::string& ns) override {
    return redis::error_groups(view_, ns);
  }
  Result<std::vector<GroupJobs>> jobs_of_groups(std::span<const ErrorGroup> groups,
                                                int most) override {
    return redis::jobs_of_groups(view_, groups, most);
  }
  Result<std::vector<AuditEntry>> audit_trail(const std::string& ns, int limit,
                                              std::optional<std::int64_t> before) override {
    return redis::audit_trail(view_, ns, limit, before);
  }
  Result<std::vector<TokenRecord>> tokens() override { return redis::tokens(view_); }
  Result<Configure> configuration() override { return redis::configuration(view_); }
  Result<StoredRules> stored_rules() override {
    auto record = redis::rules_record(view_);
    if (!record) return record.error();
    return StoredRules(std::move(*record));
  }
  Result<Nothing> each(const std::function<bool(const JobRecord&)>& visit) override {
    return redis::each(view_, visit);
  }
  Result<Audit> audit(const AuditWatch& watch) override {
    return with_clock(redis::audit_store(view_, watch), time_);
  }

  static Result<Instant> read_clock(Channel& channel, Clock* clock) {
    if (clock != nullptr) return clock->now();
    const Keys shared = Keys::shared(channel.url().prefix);
    const auto time = Reader(channel, shared).read({{"TIME"}});
    if (!time) return time.error();
    return redis::read_time((*time)[0]);
  }

 private:
  // Redis draws it; of two nodes that open a new store at once, the first one's stays.
  Result<Nothing> read_secret() {
    const Reader reader = view_.shared();
    const std::string key = reader.keys().one("store");
    const auto drawn = reader.read({{"ACL", "GENPASS"}});
    if (!drawn) return drawn.error();
    const auto kept =
        reader.read({{"HSETNX", key, "secret", (*drawn)[0].text}, {"HGET", key, "secret"}});
    if (!kept) return kept.error();
    secret_ = (*kept)[1].text;
    return Nothing{};
  }

  // Whether finished jobs stay as they are, and until their retention ends.
  bool ended_stay() const {
    const redis::Url& url = channel_->url();
    return rules_.get()->rules.terminal == Rules::Terminal::fixed && !url.keep_jobs &&
           !url.keep_bytes;
  }

  // In the order of opening; closed in reverse. The channel tells the book of losses, too.
  const std::shared_ptr<LossBook> losses_;
  const std::unique_ptr<Channel> channel_;
  const Policy usual_;
  RulesCopy rules_;
  redis::Copies copies_;
  StoreTime time_;
  const redis::Surroundings around_;
  redis::Walks walks_;
  const View view_;
  const Capabilities capabilities_;
  std::string secret_;  // constant once the store is open
  redis::RedisWakeups wakeups_;
  redis::Writer writer_;
};

Error refused(const Channel& channel, const std::string& why) {
  return {.code = Errc::refused, .message = channel.url().shown + " " + why};
}

Result<RulesRecord> agree(Channel& channel, const Rules& rules) {
  const Keys shared = Keys::shared(channel.url().prefix);
  const Reader reader(channel, shared);
  const std::string key = shared.one("store");
  const std::string asked = record_text(first_record(rules));
  const auto replies = reader.read({{"HSETNX", key, "rules", asked},
                                    {"HSETNX", key, "format", std::to_string(format)},
                                    {"HMGET", key, "rules", "format"}});
  if (!replies) return replies.error();
  const std::vector<redis::Reply>& made = (*replies)[2].items;
  if (redis::read_integer(made[1]) > format) {
    return refused(channel, "has keys of format " + made[1].text + ", this Longshore knows " +
                                std::to_string(format) + "; use a newer Longshore");
  }
  return agree_on_rules(made[0].text, rules, channel.url().shown, "name another prefix");
}

// Written at once: whoever opens the store after this one goes on from there, whatever the clock
// says then.
Result<StoreTime::Saved> note_time(Channel& channel, Clock* clock) {
  const auto now = RedisStore::read_clock(channel, clock);
  if (!now) return now.error();
  const Keys shared = Keys::shared(channel.url().prefix);
  const Reader reader(channel, shared);
  const auto last = reader.read({{"HMGET", shared.one("store"), "at", "up", "stepped"}});
  if (!last) return last.error();
  const std::vector<redis::Reply>& fields = (*last)[0].items;
  StoreTime::Saved saved;
  saved.highest =
      Instant::millis(std::max(redis::read_integer(fields[0]), redis::read_integer(fields[1])));
  if (!fields[2].is_nil()) saved.stepped_at = Instant::millis(redis::read_integer(fields[2]));
  const Instant floor = std::max(*now, saved.highest);
  const std::vector<redis::Words> calls = {
      {"HSET", shared.one("store"), "at", std::to_string(floor.count())}};
  const auto written = channel.exchange(shared.tag(), calls, true);
  if (!written) return written.error();
  if ((*written)[0].is_error()) return error_of((*written)[0], channel.url().shown);
  return saved;
}

}  // namespace

Result<std::unique_ptr<Backend>> open_redis(const RedisOptions& options, const Rules& rules) {
  const auto url = redis::parse_url(options.url);
  if (!url) return url.error();
  auto losses = std::make_shared<LossBook>();
  if (options.alarm) losses->listen(options.alarm);
  auto channel =
      redis::connect(*url, {.alarm = [losses](const std::string& how) { losses->add(how); },
                            .accepted = options.accepted});
  if (!channel) return channel.error();
  auto record = agree(**channel, rules);
  if (!record) return record.error();
  const auto saved = note_time(**channel, options.clock);
  if (!saved) return saved.error();
  auto store = std::make_unique<RedisStore>(std::move(losses), std::move(*channel),
                                            std::move(*record), options, *saved);
  if (const auto looked = store->look_around(); !looked) return looked.error();
  if (const auto looked = store->now(); !looked) return looked.error();
  return std::unique_ptr<Backend>(std::move(store));
}

}  // namespace longshore
