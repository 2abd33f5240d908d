#include "crash/evidence.h"

#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "checker/history_json.h"
#include "checker/history_writer.h"
#include "core/time/clock.h"
#include "crash/child.h"
#include "store/sqlite/store.h"

namespace longshore::crash {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

bool is_claim(const checker::Event& event) {
  const auto* call = std::get_if<checker::Call>(&event.what);
  return call != nullptr && call->verb == checker::Verb::claim;
}

RequestCounts count(const checker::History& history) {
  RequestCounts counts;
  std::set<std::int64_t> open;
  for (const checker::Event& event : history.events) {
    if (event.kind == checker::Kind::invoke && !is_claim(event)) open.insert(event.op);
    if (event.kind == checker::Kind::ok || event.kind == checker::Kind::fail) open.erase(event.op);
    counts.acknowledged += event.kind == checker::Kind::ok ? 1 : 0;
  }
  counts.in_flight = std::ssize(open);
  return counts;
}

// The idempotency keys that clients used in any process, as the store shows them now.
Result<Nothing> dump_keys(const checker::History& history, Catalog& catalog,
                          checker::HistoryWriter& writer) {
  for (const checker::Event& event : history.events) {
    const auto* call = std::get_if<checker::Call>(&event.what);
    if (call == nullptr) continue;
    for (const checker::Asked& asked : call->jobs) {
      if (asked.idempotency_key.empty()) continue;
      const auto view = catalog.find_idempotency_key(call->ns, asked.idempotency_key);
      if (view.ok()) {
        writer.dump(checker::KeyDump{call->ns, asked.idempotency_key, *view});
      } else if (view.error().code != Errc::not_found) {
        return view.error();
      }
    }
  }
  return Nothing{};
}

Result<Nothing> add_dump(const std::string& directory, checker::History& history) {
  SystemClock clock;
  auto opened = open_sqlite({.path = store_in(directory)}, clock, Rules{});
  if (!opened.ok()) return opened.error();
  std::string text;
  checker::HistoryWriter writer([&](std::string_view line) { text += line; });
  Catalog& catalog = (*opened)->catalog();
  if (auto done = dump_keys(history, catalog, writer); !done.ok()) return done;
  if (auto done = checker::dump_store(catalog, writer); !done.ok()) return done;
  return checker::read_lines(text, history);
}

}  // namespace

Result<RequestCounts> Evidence::take(int life) {
  const std::string text = text_of(history_in(directory_, life));
  checker::History alone;
  if (auto read = checker::read_lines(text, alone); !read.ok()) return read.error();
  if (auto read = checker::read_lines(text, history_); !read.ok()) return read.error();
  return count(alone);
}

Result<checker::Judgement> Evidence::judge() {
  if (auto dumped = add_dump(directory_, history_); !dumped.ok()) return dumped.error();
  checker::Options options;
  options.required = {"acked", "grants"};
  return checker::judge(history_, options);
}

}  // namespace longshore::crash
