// A sweep proves, a stretch of jobs at a time, that each stands where its state demands, and puts
// right what does not. The ready lists have a proof of their own (repair.h), the dead letters, too
// (dead_letters.cpp); what stands where no job demands it is found from there (strays.cpp).
#include <cstdlib>
#include <string>
#include <utility>

#include "store/redis/names.h"
#include "store/redis/timetable.h"
#include "store/redis/transaction.h"

namespace longshore::redis {
namespace {

constexpr std::int64_t looked_at_once = 200;
// Its times, the index of claims, its key, what it takes, and what its HASH shows by name.
constexpr std::size_t claim_at = table_count;
constexpr std::size_t key_at = table_count + 1;
constexpr std::size_t size_at = table_count + 2;
constexpr std::size_t names_at = table_count + 3;
constexpr std::size_t calls_each = table_count + 4;

// What ranks a job under its key: the live one above all that ended.
std::string rank_of(const Entry& entry) {
  return entry.stored.live_key ? "+inf" : std::to_string(entry.job().number);
}

bool is_ranked(const Entry& entry, const Reply& score) {
  if (score.is_nil()) return false;
  if (entry.stored.live_key) return score.text == "inf";
  return std::strtod(score.text.c_str(), nullptr) == static_cast<double>(entry.job().number);
}

}  // namespace

void RedisTransaction::look_at_stretch() {
  const std::string from = around_.copies.looked(ns_, "stretch");
  const auto names = read({{"ZRANGEBYLEX", keys_.one("jobs"), from.empty() ? "-" : "(" + from, "+",
                            "LIMIT", "0", std::to_string(looked_at_once)}});
  if (names.empty()) return;
  std::vector<JobId> ids;
  for (const Reply& name : names[0].items) {
    if (const auto id = parse_uuid(name.text)) ids.push_back(*id);
  }
  const bool at_end = std::ssize(names[0].items) < looked_at_once;
  around_.copies.look(ns_, "stretch", at_end ? "" : names[0].items.back().text);
  // Jobs first: what moves between the two questions shows when it is written.
  load(ids);
  std::erase_if(ids, [&](const JobId& id) {
    const Entry* entry = known(id);
    // What this sweep has moved is written anew as it is.
    return entry == nullptr || entry->dirty;
  });
  std::vector<Words> calls;
  for (const JobId& id : ids) ask_where(*known(id), calls);
  const auto answers = read(calls);
  for (std::size_t i = 0; i < ids.size() && !answers.empty(); ++i) {
    put_right(*known(ids[i]), {answers.data() + i * calls_each, calls_each});
  }
}

void RedisTransaction::ask_where(const Entry& entry, std::vector<Words>& calls) const {
  const Job& job = entry.job();
  const std::string id = to_text(job.id);
  for (const std::string_view table : table_names) {
    calls.push_back({"ZSCORE", keys_.one(table), id});
  }
  calls.push_back({"ZSCORE", keys_.one("claims"), claim_member(job.claim, job.id)});
  calls.push_back({"ZSCORE", keys_.job_key(job_key_name(job.type, job.job_key)), id});
  calls.push_back({"HEXISTS", keys_.job(job.id), "size"});
  calls.push_back(names_call(keys_.job(job.id)));
}

void RedisTransaction::put_right(Entry& entry, std::span<const Reply> answers) {
  const Job& job = entry.job();
  const std::string id = to_text(job.id);
  for (std::size_t i = 0; i < table_count; ++i) {
    const auto& wanted = entry.stored.times[i];
    const std::string table(table_names[i]);
    if (!wanted && !answers[i].is_nil() && take_out(table, id)) {
      extra_.write(Line("ZREM").text(keys_.one(table)).text(id));
      repaired(entry, "was listed in " + table + " without reason; it no longer is");
    }
    if (wanted && (answers[i].is_nil() || parse_score(answers[i].text) != *wanted)) {
      extra_.write(
          Line("ZADD").text(keys_.one(table)).text(std::to_string(wanted->count())).text(id));
      repaired(entry, "was not listed in " + table + " as it should be; it is again");
    }
  }
  if (entry.stored.claim && answers[claim_at].is_nil()) {
    const std::string member = claim_member(*entry.stored.claim, job.id);
    extra_.write(Line("ZADD").text(keys_.one("claims")).text("0").text(member));
    repaired(entry, "ran, but its claim was not listed; it is again");
  }
  if (!job.job_key.empty() && !is_ranked(entry, answers[key_at])) {
    const std::string key = keys_.job_key(job_key_name(job.type, job.job_key));
    extra_.write(Line("ZADD").text(key).text(rank_of(entry)).text(id));
    repaired(entry, "did not stand under its key as it should; it does again");
  }
  // It ended before anybody wanted to know what it takes.
  if (around_.weighs() && entry.stored.time(Table::prune) && answers[size_at].integer == 0) {
    extra_.write(Line("weigh").text(keys_.job(job.id)));
    entry.used = true;
  }
  if (around_.names && !shows_names(answers[names_at], job)) show_names(entry);
}

// A job that was last written by a Longshore without names gets them; that is no repair.
void RedisTransaction::show_names(Entry& entry) {
  Line line("HSET");
  line.text(keys_.job(entry.job().id));
  const auto values = name_values(entry.job());
  for (std::size_t i = 0; i < values.size(); ++i) line.text(name_fields[i]).text(values[i]);
  extra_.write(line);
  entry.used = true;
  if (entry.head.named)
    repaired(entry, "showed wrong values in its named fields; it shows its own again");
}

void RedisTransaction::repaired(Entry& entry, const std::string& what) {
  entry.used = true;
  repairs_.push_back(to_text(entry.job().id) + " " + what);
}

}  // namespace longshore::redis
