// The dead letters, and how many jobs there are of each kind.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "core/record/soundness.h"
#include "store/redis/fields.h"
#include "store/redis/reader.h"
#include "store/redis/transaction.h"
#include "store/redis/write_back.h"

namespace longshore::redis {
namespace {

using Sums = std::map<std::string, std::int64_t>;

std::int64_t dead_in(const Sums& counts) {
  const std::string ending = "/" + std::to_string(static_cast<int>(State::dead));
  std::int64_t sum = 0;
  for (const auto& [field, count] : counts) {
    if (field.starts_with("q/") && field.ends_with(ending)) sum += count;
  }
  return sum;
}

}  // namespace

// Every job of the namespace that can be read.
Result<Nothing> RedisTransaction::each_head(const std::function<void(const Job&)>& visit) const {
  const Reader reader(around_.channel, keys_);
  return reader.each_job({"given", "life", "place"}, [&](const JobId& id, const Reply& reply) {
    const HeadTexts texts{reply.items[0].text, reply.items[1].text, reply.items[2].text};
    if (const auto head = parse_head(id, ns_, texts, record_->usual)) visit(head->job);
    return true;
  });
}

bool RedisTransaction::look_at_dead(const Balance& balance, std::int64_t limit) {
  if (balance.letters == dead_in(balance.counts)) return false;
  std::set<JobId> dead;
  const auto walked = each_head([&](const Job& job) {
    if (places_of(job).dead) dead.insert(job.id);
  });
  if (!walked) {
    trouble_ = walked.error();
    return false;
  }
  const auto letters = read({{"LRANGE", keys_.one("dead"), "0", "-1"}});
  if (letters.empty()) return false;
  std::set<JobId> doubtful = dead;
  std::set<JobId> listed;
  for (const Reply& letter : letters[0].items) {
    const auto id = parse_uuid(letter.text);
    if (!id) continue;
    const bool fits = listed.insert(*id).second && dead.contains(*id);
    if (fits) doubtful.erase(*id);
    if (!fits) doubtful.insert(*id);
  }
  std::vector<JobId> some(doubtful.begin(), doubtful.end());
  if (std::ssize(some) > limit) some.resize(static_cast<std::size_t>(limit));
  put_dead_right(some);
  return some.empty();
}

void RedisTransaction::put_dead_right(const std::vector<JobId>& ids) {
  load(ids);
  std::vector<Words> calls;
  for (const JobId& id : ids) {
    calls.push_back({"LPOS", keys_.one("dead"), to_text(id), "COUNT", "0"});
  }
  const auto places = read(calls);
  for (std::size_t i = 0; i < places.size(); ++i) {
    Entry* entry = known(ids[i]);
    if (entry != nullptr && entry->dirty) continue;
    const std::int64_t wanted = entry != nullptr && entry->stored.dead ? 1 : 0;
    const std::int64_t times = std::ssize(places[i].items);
    const std::string id = to_text(ids[i]);
    if (times == wanted) continue;
    if (entry != nullptr) entry->used = true;
    if (times < wanted) {
      extra_.write(Line("RPUSH").text(keys_.one("dead")).text(id));
      repairs_.push_back(id + " was dead but not among the dead letters; it is again");
      continue;
    }
    if (wanted == 0 && !take_out("dead", id)) continue;
    // The first one stays.
    extra_.write(
        Line("LREM").text(keys_.one("dead")).text(std::to_string(wanted - times)).text(id));
    repairs_.push_back(id + " was among the dead letters without reason; it no longer is");
  }
}

// Only in a quiet moment: whoever counts while others write counts wrong.
void RedisTransaction::recount() {
  const std::vector<Words> look = {{"HGET", keys_.meta(), "seq"}, {"HGETALL", keys_.one("counts")}};
  const auto before = read(look);
  if (before.empty()) return;
  Sums there;
  const auto walked = each_head([&](const Job& job) {
    there[count_field(job.queue, counted_as(job))] += 1;
    if (job.state == State::running) there[count_field(job.type)] += 1;
  });
  if (!walked || read(look) != before || trouble_) return;
  Sums counts = read_sums(before[1]);
  for (const auto& [field, count] : there) counts.try_emplace(field, 0);
  bool fits = true;
  for (const auto& [field, count] : counts) {
    const std::int64_t real = there[field];
    if (count == real) continue;
    fits = false;
    extra_.write(Line("HSET").text(keys_.one("counts")).text(field).text(std::to_string(real)));
    repairs_.push_back("the count " + field + " was " + std::to_string(count) + "; it is " +
                       std::to_string(real) + " again");
  }
  if (fits) return;
  extra_.expect(before[0].is_nil() ? std::nullopt : std::optional(before[0].text),
                Line("HGET").text(keys_.meta()).text("seq"));
}

}  // namespace longshore::redis
