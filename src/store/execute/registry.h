// What a store knows beside jobs: its time, who was seen, what was configured, who may ask.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/policy/rules_record.h"
#include "longshore/command.h"
#include "longshore/time.h"

namespace longshore::execute {

class Registry {
 public:
  // The store's time, the same for one command from beginning to end.
  virtual Instant now() const = 0;

  virtual void record_audit(const Actor& actor, const std::string& ns, const std::string& action,
                            const std::string& target) = 0;
  // Whether one of the newest 100 entries of the namespace says the same, and is not older.
  virtual bool is_audited(const RecordAudit& record, Instant since) = 0;
  // The queue may have become worth a claim.
  virtual void hint(const std::string& ns, const std::string& queue) = 0;

  // ---- Nodes and workers -------------------------------------------------------------------

  // The latest time at which a node is known to have been up, any time of the right second; none
  // if none ever was. Whoever committed was up, also when it changed nothing.
  virtual std::optional<Instant> last_up() = 0;
  // Running jobs that a node which starts may have to do with, in the order of ids: those of its
  // own, every one if the rules say so, those whose lease ended after `up`. Others are harmless.
  virtual std::vector<JobId> left_behind(const NodeId& node, std::optional<Instant> up) = 0;
  virtual void start_node(const NodeId& node, const std::string& name) = 0;
  virtual void see_node(const NodeId& node, const std::string& name) = 0;
  virtual void see_workers(std::span<const WorkerInfo> workers) = 0;
  virtual void record_minutes(std::span<const MinuteRow> rows) = 0;
  // Forgets minutes and workers from before these times.
  virtual void forget_sightings(Instant minutes, Instant workers) = 0;
  // Forget entries of the audit trail, and groups of errors without a failure since; the oldest, no
  // more than `limit`. How many.
  virtual std::int64_t forget_trail(Instant before, std::int64_t limit) = 0;
  virtual std::int64_t forget_groups(Instant before, std::int64_t limit) = 0;

  // ---- Configuration -----------------------------------------------------------------------

  virtual void configure(const Configure& configure) = 0;
  // As stored; no other node changes it until the transaction ends, or this one fails.
  virtual RulesRecord rules_record() = 0;
  // In force from the next transaction on, at the latest.
  virtual void set_rules(const RulesRecord& record) = 0;
  // False if it was so already.
  virtual bool set_pause(const std::string& ns, const std::string& queue, bool paused) = 0;

  // ---- Tokens ------------------------------------------------------------------------------

  virtual std::optional<TokenRecord> find_token(const std::string& id) = 0;
  virtual void insert_token(const TokenRecord& token) = 0;
  virtual void erase_token(const std::string& id) = 0;
  virtual void touch_token(const std::string& id) = 0;  // used now

 protected:
  ~Registry() = default;
};

}  // namespace longshore::execute
