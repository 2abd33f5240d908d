#include "store/redis/names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace longshore::redis {
namespace {

void put_number(Fields& fields, std::string_view name, std::int64_t number) {
  std::array<char, 24> text;
  const char* end = std::to_chars(text.begin(), text.end(), number).ptr;
  fields.put(name, {text.begin(), end});
}

}  // namespace

Words names_call(const std::string& key) {
  Words call = {"HMGET", key};
  call.insert(call.end(), name_fields.begin(), name_fields.end());
  return call;
}

std::array<std::string, name_fields.size()> name_values(const Job& job) {
  return {std::string(to_text(job.state)), job.type, job.queue, std::to_string(job.attempt),
          std::to_string(job.run_at.count())};
}

bool shows_names(const Reply& reply, const Job& job) {
  return std::ranges::equal(reply.items, name_values(job), {}, &Reply::text);
}

void put_names(Fields& fields, const Entry& entry) {
  const Job& job = entry.job();
  const bool all = !entry.shown || entry.rewritten || entry.misplaced;
  if (all) {
    fields.put("type", job.type);
    fields.put("queue", job.queue);
  }
  if (all || entry.shown->state != job.state) fields.put("state", to_text(job.state));
  if (all || entry.shown->attempt != job.attempt) put_number(fields, "attempt", job.attempt);
  if (all || entry.shown->run_at != job.run_at) put_number(fields, "run_at", job.run_at.count());
}

}  // namespace longshore::redis
