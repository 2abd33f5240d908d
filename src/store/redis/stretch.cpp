// A sweep proves, a stretch of jobs at a time, that each stands where its state demands, and puts
// right what does not. The ready lists have a proof of their own (repair.h).
#include <string>
#include <utility>

#include "store/redis/timetable.h"
#include "store/redis/unit_of_work.h"

namespace longshore::redis {
namespace {

constexpr std::int64_t looked_at_once = 200;
constexpr std::size_t calls_each = table_count + 1;  // its times, and the index of claims

Words score_call(const std::string& key, const std::string& member) {
  return {"ZSCORE", key, member};
}

}  // namespace

void UnitOfWork::look_at_stretch() {
  const std::string from = around_.copies.looked(ns_);
  const auto names = read({{"ZRANGEBYLEX", keys_.one("jobs"), from.empty() ? "-" : "(" + from, "+",
                            "LIMIT", "0", std::to_string(looked_at_once)}});
  if (names.empty()) return;
  std::vector<JobId> ids;
  for (const Reply& name : names[0].items) {
    if (const auto id = parse_uuid(name.text)) ids.push_back(*id);
  }
  const bool at_end = std::ssize(ids) < looked_at_once;
  around_.copies.look(ns_, at_end ? "" : names[0].items.back().text);
  // Jobs first: what moves between the two questions shows when it is written.
  load(ids);
  std::vector<Words> calls;
  for (const JobId& id : ids) {
    const std::string member = to_text(id);
    for (const std::string_view table : table_names) {
      calls.push_back(score_call(keys_.one(table), member));
    }
    const Entry* entry = known(id);
    const RequestId claim = entry == nullptr ? RequestId{} : entry->job().claim;
    calls.push_back(score_call(keys_.one("claims"), claim_member(claim, id)));
  }
  const auto scores = read(calls);
  for (std::size_t i = 0; i < ids.size() && !scores.empty(); ++i) {
    Entry* entry = known(ids[i]);
    // What this sweep has moved is written anew as it is.
    if (entry == nullptr || entry->dirty) continue;
    put_right(*entry, {scores.data() + i * calls_each, calls_each});
  }
}

void UnitOfWork::put_right(Entry& entry, std::span<const Reply> scores) {
  const std::string id = to_text(entry.job().id);
  for (std::size_t i = 0; i < table_count; ++i) {
    const auto& wanted = entry.stored.times[i];
    const std::string table(table_names[i]);
    if (!wanted && !scores[i].is_nil()) {
      extra_.write(Line("ZREM").text(keys_.one(table)).text(id));
      repaired(entry, "was listed in " + table + " without reason; it no longer is");
    }
    if (wanted && (scores[i].is_nil() || parse_score(scores[i].text) != *wanted)) {
      extra_.write(
          Line("ZADD").text(keys_.one(table)).text(std::to_string(wanted->count())).text(id));
      repaired(entry, "was not listed in " + table + " as it should be; it is again");
    }
  }
  if (entry.stored.claim && scores[table_count].is_nil()) {
    const std::string member = claim_member(*entry.stored.claim, entry.job().id);
    extra_.write(Line("ZADD").text(keys_.one("claims")).text("0").text(member));
    repaired(entry, "ran, but its claim was not listed; it is again");
  }
}

void UnitOfWork::repaired(Entry& entry, const std::string& what) {
  entry.used = true;
  repairs_.push_back(to_text(entry.job().id) + " " + what);
}

}  // namespace longshore::redis
