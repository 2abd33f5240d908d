#include "api/queues/queue_json.h"

#include <algorithm>
#include <charconv>

namespace longshore {
namespace {

void write_depth(JsonOut& out, const std::map<State, std::int64_t>& depth) {
  out.key("depth");
  out.open('{');
  for (int i = 0; i < state_count; ++i) {
    const auto state = static_cast<State>(i);
    const auto found = depth.find(state);
    out.member(to_text(state), found == depth.end() ? std::int64_t{0} : found->second);
  }
  out.close('}');
}

void write_rates(JsonOut& out, const Rates& rates) {
  out.key("rates");
  out.open('{');
  out.member("enqueuedPerSecond", rates.enqueued);
  out.member("startedPerSecond", rates.started);
  out.member("finishedPerSecond", rates.finished);
  out.close('}');
}

void write_queue(JsonOut& out, const QueueView& queue, const Rates& rates, Instant now) {
  out.open('{');
  out.member("queue", queue.queue);
  out.member("paused", queue.paused);
  out.member("maxRunning", queue.max_running);
  write_depth(out, queue.depth);
  out.key("oldestAgeSeconds");
  if (queue.oldest_queued) {
    out.value(std::max(now - *queue.oldest_queued, Duration()));
  } else {
    out.value(nullptr);
  }
  write_rates(out, rates);
  out.close('}');
}

}  // namespace

std::string queues_json(const std::vector<QueueView>& queues,
                        const std::map<std::string, Rates>& rates, Instant now,
                        const std::optional<std::string>& next) {
  JsonOut out;
  out.open('{');
  out.key("queues");
  out.open('[');
  for (const QueueView& queue : queues) {
    const auto found = rates.find(queue.queue);
    write_queue(out, queue, found == rates.end() ? Rates() : found->second, now);
  }
  out.close(']');
  out.member("nextCursor", next ? std::optional(queue_cursor(*next)) : std::nullopt);
  out.close('}');
  return out.take();
}

// In hexadecimal: cursors are opaque.
std::string queue_cursor(std::string_view from) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "q";
  for (const char c : from) {
    text += digits[static_cast<unsigned char>(c) >> 4];
    text += digits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

std::optional<std::string> parse_queue_cursor(std::string_view text) {
  if (!text.starts_with('q') || text.size() % 2 == 0 || text.size() > 2000) return std::nullopt;
  std::string from;
  for (std::size_t i = 1; i < text.size(); i += 2) {
    unsigned value = 0;
    const auto read = std::from_chars(text.data() + i, text.data() + i + 2, value, 16);
    if (read.ec != std::errc() || read.ptr != text.data() + i + 2) return std::nullopt;
    from += static_cast<char>(value);
  }
  return queue_cursor(from) == text ? std::optional(from) : std::nullopt;
}

}  // namespace longshore
