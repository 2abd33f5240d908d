// Reads the members of a server's JSON response.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json_scan.h"
#include "core/json/json_value.h"
#include "core/text/time_text.h"
#include "longshore/error.h"
#include "longshore/job.h"

namespace longshore {

// The members of one object, by name. Unknown members are ignored: responses may gain members.
class Members {
 public:
  // Deeper than the limit for requests, since a response contains what was sent.
  explicit Members(std::string_view text)
      : sound_(scan_object(text, members_, json_depth_limit).ok()) {}

  bool sound() const { return sound_; }
  const JsonSlice* find(std::string_view name) const {
    for (const JsonMember& member : members_) {
      if (is_named(member, name) && member.value.kind != JsonKind::null) return &member.value;
    }
    return nullptr;
  }
  std::string text(std::string_view name) const {
    const JsonSlice* slice = find(name);
    return slice == nullptr ? "" : json_string(*slice).value_or("");
  }
  std::int64_t integer(std::string_view name) const {
    const JsonSlice* slice = find(name);
    return slice == nullptr ? 0 : json_integer(*slice).value_or(0);
  }
  // Raw text; empty if absent. Lives as long as the text.
  std::string_view view(std::string_view name) const {
    const JsonSlice* slice = find(name);
    return slice == nullptr ? std::string_view() : slice->text;
  }
  std::string raw(std::string_view name) const { return std::string(view(name)); }
  std::optional<double> number(std::string_view name) const {
    const JsonSlice* slice = find(name);
    return slice == nullptr ? std::nullopt : json_number(*slice);
  }
  bool flag(std::string_view name) const { return raw(name) == "true"; }
  // The elements of an array; none if it is absent or not an array.
  std::vector<JsonSlice> elements(std::string_view name) const {
    std::vector<JsonSlice> elements;
    const JsonSlice* slice = find(name);
    if (slice == nullptr || !scan_array(slice->text, elements, json_depth_limit)) elements.clear();
    return elements;
  }
  std::optional<Instant> time(std::string_view name) const { return parse_time(text(name)); }

 private:
  std::vector<JsonMember> members_;
  bool sound_;
};

// The error for a 2xx response that does not follow the API.
inline Error unexpected_response(std::string_view what) {
  return {Errc::unavailable,
          "the server did not answer with a " + std::string(what) + "; is it a Longshore server?"};
}

inline JobError read_error(std::string_view json) {
  const Members members(json);
  return {members.text("code"), members.text("message"), members.raw("details")};
}

}  // namespace longshore
