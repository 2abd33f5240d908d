// A RedisTransaction is what one batch of commands sees and does of one namespace. What the
// commands will need is fetched before the first is judged, the rest when it is asked for; what
// they changed is written by one run of the apply script, whole, if everything that was looked at
// is still so. Otherwise nothing is written, and the batch is judged again from the beginning.
//
// What belongs to no namespace (nodes, tokens, the configuration) is a namespace of its own here,
// whose name is empty and which has no jobs.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/policy/rules_record.h"
#include "core/time/clock.h"
#include "core/time/store_time.h"
#include "longshore/store.h"
#include "store/execute/transaction.h"
#include "store/redis/annals.h"
#include "store/redis/balance.h"
#include "store/redis/channel.h"
#include "store/redis/config.h"
#include "store/redis/deed.h"
#include "store/redis/entry.h"
#include "store/redis/fetch.h"
#include "store/redis/keys.h"
#include "store/redis/shelf.h"

namespace longshore::redis {

// What every batch of one open store is done with.
struct Surroundings {
  Channel& channel;
  RulesCopy& rules;
  Copies& copies;
  Clock* clock = nullptr;  // instead of the server's time
  bool names = true;       // whether HASHes show fields by name, see RedisOptions
  StoreTime& time;

  Duration steady() const {
    return clock != nullptr ? clock->steady() : Duration::millis(steady_micros() / 1000);
  }
  const std::string& prefix() const { return channel.url().prefix; }
  bool weighs() const { return channel.url().keep_bytes.has_value(); }
};

// Used by one thread, for one attempt at one batch.
class RedisTransaction final : public execute::Transaction {
 public:
  // `floor`: the store's time is never less.
  RedisTransaction(const Surroundings& around, const std::string& ns, Instant floor);

  // ---- The batch ---------------------------------------------------------------------------

  // Fetches what the commands name. `hopeful`: that the ids of new jobs are new, and that jobs are
  // as this node remembers them, is not asked, but must turn out when the batch is written.
  // prefetch.cpp
  void begin(std::span<const Command* const> commands, bool hopeful);
  void begin_command(std::vector<JobEvent>& events) {
    events_ = &events;
    shelf_.begin_claim();
  }
  // Whether the command that was judged last left off looking before it had seen all that is ready;
  // it will get further once this batch is written.
  bool was_cut() const { return shelf_.was_cut(); }
  // Whether a sweep left stale elements at the heads of lists.
  bool leaves_stale_heads() const { return leaves_stale_heads_; }
  // What went wrong; until somebody looks, finding finds nothing.
  const std::optional<Error>& trouble() const { return trouble_; }
  // Writes all that was done, and fills the leases among the verdicts. False: something that was
  // looked at has changed, and nothing was written.
  Result<bool> finish(std::vector<Verdict>& verdicts);
  // Told by finish() when what is to be written is on its way, which may be more than once.
  void set_when_sent(std::function<void()> told) { when_sent_ = std::move(told); }
  std::set<std::string> take_hints() { return std::move(hints_); }
  bool wrote() const { return wrote_; }
  // Once it is written: this node knows first what it changed. registry.cpp
  void publish_rules();
  // What a sweep put right besides queued jobs, in words.
  const std::vector<std::string>& repairs() const { return repairs_; }

  // ---- A sweep's share of a command that goes through all namespaces -------------------------

  void limit_due(execute::Timetable table, std::int64_t most) { caps_[table] = most; }
  void limit_pruning(std::int64_t most) { prune_cap_ = most; }
  void set_last_up(std::optional<Instant> up) { last_up_ = up; }
  // Puts the rules of this namespace in the place of its own. registry.cpp
  void adopt_rules(const Configure& rules);

  // ---- execute::Transaction
  // -------------------------------------------------------------------------

  const Rules& rules() const override { return record_->rules; }
  Instant now() const override { return now_; }

  void load(std::span<const JobId> ids) override;
  Entry* find(const JobId& id) override;
  Entry* find_holder(const execute::JobKeyRef& key, const JobId& otherwise) override;
  Entry* find_by_key(const execute::JobKeyRef& key) override;
  std::optional<KeyView> find_key(const execute::IdempotencyRef& key,
                                  const execute::Binding& otherwise) override;
  const JobBody& body(execute::Entry& entry) override;

  Entry& apply(Change&& change) override;
  void bind_key(const execute::IdempotencyRef& key, const execute::Binding& to) override;

  // claims.cpp
  std::vector<JobId> of_claim(const RequestId& claim) override;
  Entry* next_ready(const Claim& claim, const std::string& queue,
                    const execute::Entry* after) override;
  std::int64_t bytes(execute::Entry& entry, bool with_checkpoint) override;
  void fill(Lease& lease, execute::Entry& entry) override;

  // time_passing.cpp
  std::vector<JobId> due(execute::Timetable table, const execute::TimeSpan& span,
                         std::int64_t limit) override;
  std::optional<Instant> earliest(execute::Timetable table, Instant from) override;
  std::vector<JobId> lost(std::int64_t limit) override;
  void put_back(execute::Entry& entry) override;
  // prune.cpp
  Instant prune_by() override;
  std::int64_t prune(std::int64_t limit, Instant until, Instant keys_until) override;
  std::optional<Instant> next_pruning() override { return earliest_of(Table::prune); }
  std::int64_t forget_keys(std::int64_t limit, Instant until) override;
  std::int64_t forget_trail(Instant before, std::int64_t limit) override;
  std::int64_t forget_groups(Instant before, std::int64_t limit) override;
  std::optional<Instant> next_forgetting() override;

  // registry.cpp
  bool is_audited(const RecordAudit& record, Instant since) override;
  void record_audit(const Actor& actor, const std::string& ns, const std::string& action,
                    const std::string& target) override;
  bool is_limited(const Job& job) override { return config_->is_limited(job); }
  void hint(const std::string& ns, const std::string& queue) override {
    if (hinted_ == queue) return;  // one batch is of one namespace
    hinted_ = queue;
    hints_.insert(ns + "/" + queue);
  }
  std::optional<Instant> last_up() override { return last_up_; }
  std::vector<JobId> left_behind(const NodeId& node, std::optional<Instant> up) override;
  void start_node(const NodeId& node, const std::string& name) override;
  void see_node(const NodeId& node, const std::string& name) override;
  void see_workers(std::span<const WorkerInfo> workers) override;
  void record_minutes(std::span<const MinuteRow> rows) override;
  void forget_sightings(Instant minutes, Instant workers) override;
  void configure(const Configure& configure) override;
  RulesRecord rules_record() override;
  void set_rules(const RulesRecord& record) override;
  bool set_pause(const std::string& ns, const std::string& queue, bool paused) override;
  std::optional<TokenRecord> find_token(const std::string& id) override;
  void insert_token(const TokenRecord& token) override;
  void erase_token(const std::string& id) override;
  void touch_token(const std::string& id) override;

 private:
  // What a job key or an idempotency key leads to, as fetched and as it is now.
  struct Holders {
    std::vector<std::string> fetched;
    std::optional<JobId> live;
    std::vector<JobId> ended;  // of those fetched, and of this batch
  };
  struct Bound {
    std::optional<std::string> fetched;
    std::optional<KeyView> view;
  };

  // Asks, and keeps what is answered.
  void ask(Question question);
  void keep_jobs(std::vector<Answer::StoredJob>& jobs);
  void keep_config(const Answer& answer);
  // Replies of reading commands, in order; empty after trouble.
  std::vector<Reply> read(const std::vector<Words>& calls);
  // foreign_ids.cpp
  void look_abroad();
  bool looks_for_ids_at_home() const;
  // False if another namespace has the id of a new job.
  bool enter_ids();
  Entry* known(const JobId& id);
  Holders& holders(const std::string& name);
  void hold(const Job& job, bool was_live);

  void place(Entry& entry, Job&& after, Place place, bool moved);
  void keep_parts(Entry& entry, Change& change, int attempt_before);
  void mark_dirty(Entry& entry);
  std::int64_t next_step() { return ++steps_; }

  bool is_ready(const ReadyPlace& place);
  bool queue_is_free(const std::string& queue);
  bool type_is_free(const std::string& type);
  // Of each limited type, how many running jobs in Redis leave no room for another.
  std::vector<std::pair<std::string, std::int64_t>> type_limits(std::int64_t may_end);
  std::int64_t running(const std::string& field);
  void count(const Job& job, std::int64_t by);

  std::optional<Instant> earliest_of(Table table, Instant from = Instant());
  std::vector<std::pair<Instant, JobId>> head_of(Table table, const execute::TimeSpan& span,
                                                 std::int64_t limit);
  // stretch.cpp
  void look_at_stretch();
  void ask_where(const Entry& entry, std::vector<Words>& calls) const;
  void put_right(Entry& entry, std::span<const Reply> answers);
  void show_names(Entry& entry);
  void repaired(Entry& entry, const std::string& what);
  // False if this sweep has already taken the member out.
  bool take_out(const std::string& structure, const std::string& member) {
    return taken_out_.emplace(structure, member).second;
  }
  // strays.cpp
  struct Member {
    std::string structure;
    std::string text;
    std::optional<JobId> id;  // none: it names no job at all
  };
  std::vector<Member> next_members();
  void look_at_members();
  void look_at_names();
  void index_again(std::vector<JobId> ids);
  void look_at_holders(const std::vector<std::string>& names);
  // stale_heads.cpp
  // Takes stale elements off the heads of lists that no claim may come to soon.
  void trim_stale_heads(const Balance& balance);
  // dead_letters.cpp
  Result<Nothing> each_head(const std::function<void(const Job&)>& visit) const;
  // True if the letters fit the jobs, and it is the counts that are wrong.
  bool look_at_dead(const Balance& balance, std::int64_t limit);
  void put_dead_right(const std::vector<JobId>& ids);
  void recount();

  std::vector<std::pair<Instant, JobId>> forgettable(std::int64_t limit, Instant until);
  void keep_keys(Entry& entry, const std::vector<std::string>& names, Instant until);
  std::vector<std::string> trails();
  void date_groups(std::int64_t limit);
  void see(const NodeId& node, const std::string& name, bool starts);

  Result<bool> run_apply(Deed& deed, std::vector<Verdict>& verdicts);
  Result<Nothing> list_namespace();
  void guard_all(Deed& deed);
  void fill_leases(Reply& payloads, const Reply& bodies, std::vector<Verdict>& verdicts) const;
  void remember(std::int64_t seq);
  void settle(Entry& entry, std::int64_t seq) const;
  void look_behind(const Question& question, const Answer& answer);
  // Begins without asking, at the time that Redis must have by now. False if nobody knows.
  // prefetch.cpp
  bool carry_on();
  // Takes what this node remembers of these out of the ids to be asked for. prefetch.cpp
  void recall(std::vector<JobId>& ids);

  const Surroundings& around_;
  const std::string ns_;
  const Keys keys_;
  std::shared_ptr<const Config> config_;
  std::shared_ptr<const RulesRecord> record_;
  bool rules_changed_ = false;
  std::optional<std::int64_t> config_guard_;  // the version that was seen
  Instant now_;
  std::optional<Instant> carried_;     // Redis's time, unless it was asked
  Instant before_ = Instant::never();  // the decisions hold until then
  std::int64_t seq_ = 0;
  std::int64_t steps_ = 0;

  std::unordered_map<JobId, std::unique_ptr<Entry>> entries_;
  std::unordered_set<JobId> absent_;
  std::map<JobId, bool> brought_;    // ids of new jobs, and whether they were made here
  std::unordered_set<JobId> hoped_;  // of them, those that nobody has looked for
  std::vector<Entry*> dirty_;
  std::vector<std::unique_ptr<Entry>> removed_;
  std::map<std::string, Holders> holders_;
  std::map<std::string, Bound> bound_;
  std::multimap<RequestId, JobId> claims_;
  std::set<RequestId> claims_asked_;
  std::optional<std::map<std::string, std::int64_t>> counts_;  // fetched
  std::set<std::string> limits_asked_;
  std::map<std::string, std::int64_t> counted_;  // by this batch
  Shelf shelf_;
  int passed_priorities_ = 0;  // in which the claim at hand finds nothing any more
  Annals annals_;
  Deed extra_;  // guards and writes of verbs that speak for themselves
  std::vector<std::pair<Table, JobId>> strays_;
  std::vector<JobId> wanted_bodies_;

  std::map<execute::Timetable, std::int64_t> caps_;
  std::optional<std::int64_t> prune_cap_;
  std::optional<Instant> last_up_;
  std::map<std::string, std::optional<TokenRecord>> tokens_;

  std::vector<std::string> repairs_;
  std::set<std::pair<std::string, std::string>> taken_out_;
  std::set<std::string> hints_;
  std::string hinted_;  // the queue that was hinted at last
  std::optional<Error> trouble_;
  bool wrote_ = false;
  bool leaves_stale_heads_ = false;
  bool recalled_ = false;  // some entries are what this node remembers
  std::vector<JobEvent>* events_ = nullptr;
  std::function<void()> when_sent_;
};

}  // namespace longshore::redis
