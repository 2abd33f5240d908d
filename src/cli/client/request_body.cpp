#include "cli/client/request_body.h"

#include <charconv>

#include "server/settings/duration_text.h"

namespace longshore {

RequestBody::RequestBody(const Invocation& invocation) : invocation_(invocation) {
  json_.begin_object();
}

void RequestBody::text(std::string_view flag, std::string_view member) {
  if (const auto value = invocation_.flag(flag)) string(member, *value);
}

void RequestBody::string(std::string_view member, std::string_view value) {
  json_.name(member);
  json_.string(value);
}

void RequestBody::raw(std::string_view member, std::string_view json) {
  json_.name(member);
  json_.raw(json);
}

void RequestBody::number(std::string_view flag, std::string_view member) {
  const auto value = invocation_.flag(flag);
  if (!value) return;
  std::int64_t number = 0;
  const char* const end = value->data() + value->size();
  const auto [rest, fault] = std::from_chars(value->data(), end, number);
  if (fault != std::errc() || rest != end) return add_fault(flag, "must be a whole number");
  json_.name(member);
  json_.integer(number);
}

void RequestBody::duration(std::string_view flag, std::string_view member) {
  const auto value = invocation_.flag(flag);
  if (!value) return;
  const auto duration = parse_duration(*value);
  if (!duration || *duration == Duration::forever()) {
    return add_fault(flag, "must be a duration, such as 90s, 5m or 12h");
  }
  json_.name(member);
  json_.number(duration->in_seconds());
}

void RequestBody::tags() {
  const auto found = invocation_.flags.find("--tag");
  if (found == invocation_.flags.end()) return;
  json_.name("tags");
  json_.begin_array();
  for (const std::string& tag : found->second) {
    json_.element();
    json_.string(tag);
  }
  json_.end_array();
}

void RequestBody::metadata() {
  const auto found = invocation_.flags.find("--metadata");
  if (found == invocation_.flags.end()) return;
  json_.name("metadata");
  json_.begin_object();
  for (const std::string& pair : found->second) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos) return add_fault("--metadata", "must be NAME=VALUE");
    string(pair.substr(0, equals), pair.substr(equals + 1));
  }
  json_.end_object();
}

Result<std::string> RequestBody::take() {
  if (fault_) return *fault_;
  if (json_.fault()) return Error{Errc::invalid, *json_.fault()};
  json_.end_object();
  return json_.take();
}

void RequestBody::add_fault(std::string_view flag, std::string_view what) {
  if (!fault_) fault_ = Error{Errc::invalid, std::string(flag) + " " + std::string(what)};
}

}  // namespace longshore
