// Reads the parameters of a query as strictly as a body.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/wire/faults.h"
#include "api/wire/route.h"
#include "core/rules/limits.h"
#include "longshore/time.h"

namespace longshore {

// Every reader returns nothing if the parameter is absent, and records a fault if it is wrong or
// repeated.
class Query {
 public:
  // The call must outlive this.
  explicit Query(const Call& call);

  // Returns what is wrong with a text, as a sentence; nothing if it is valid.
  using TextFault = std::optional<std::string> (*)(std::string_view);
  std::optional<std::string> text(std::string_view name, TextFault fault = nullptr);
  std::optional<bool> boolean(std::string_view name);  // "true" or "false"
  std::optional<std::int64_t> integer(std::string_view name, std::int64_t least, std::int64_t most);
  std::optional<double> number(std::string_view name, double least, double most);
  // Accepts a space for the plus sign of an offset that was not percent-encoded.
  std::optional<Instant> time(std::string_view name);

  void invalid(std::string_view name, std::string detail);

  // Call after all parameters were read: every fault, unknown parameters included.
  std::optional<Problem> problem();

 private:
  const Call& call_;
  std::vector<bool> asked_;
  Faults faults_;
};

// The parameter `limit` of a list.
int read_page_limit(Query& query, int otherwise = page_limit_default);

// The parameter `cursor` of a list, read by `parse`.
template <class Parse>
auto read_page_cursor(Query& query, Parse parse) -> decltype(parse(std::string_view())) {
  const std::optional<std::string> text = query.text("cursor");
  if (!text) return std::nullopt;
  auto cursor = parse(*text);
  if (!cursor) query.invalid("cursor", "must be the nextCursor of an earlier page");
  return cursor;
}

}  // namespace longshore
