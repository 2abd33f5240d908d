#include "api/wire/fields.h"

#include <fmt/format.h>

#include <utility>

#include "core/json/json_value.h"
#include "core/text/time_text.h"

namespace longshore {

Fields::Fields(Faults& faults, std::string prefix, std::vector<JsonMember> members)
    : faults_(&faults),
      prefix_(std::move(prefix)),
      members_(std::move(members)),
      asked_(members_.size(), false) {}

const JsonSlice* Fields::slice(std::string_view name) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (!is_named(members_[i], name)) continue;
    asked_[i] = true;
    return &members_[i].value;
  }
  return nullptr;
}

bool Fields::has(std::string_view name) const {
  for (const JsonMember& member : members_) {
    if (is_named(member, name)) return true;
  }
  return false;
}

bool Fields::require(std::string_view name) {
  if (has(name)) return true;
  invalid(name, "is required");
  return false;
}

std::string Fields::place(std::string_view name) const {
  if (name.empty()) return prefix_.substr(0, prefix_.empty() ? 0 : prefix_.size() - 1);
  return prefix_ + std::string(name);
}

void Fields::invalid(std::string_view name, std::string detail) {
  faults_->invalid(place(name), std::move(detail));
}

std::optional<std::string> Fields::checked_text(const std::string& place, const JsonSlice& slice,
                                                TextFault fault) {
  std::optional<std::string> text = json_string(slice);
  if (!text) {
    faults_->invalid(place, "must be a string");
    return std::nullopt;
  }
  if (fault == nullptr) return text;
  if (auto wrong = fault(*text)) {
    faults_->invalid(place, std::move(*wrong));
    return std::nullopt;
  }
  return text;
}

std::optional<std::string> Fields::text(std::string_view name, TextFault fault) {
  const JsonSlice* found = slice(name);
  if (found == nullptr) return std::nullopt;
  return checked_text(place(name), *found, fault);
}

std::optional<bool> Fields::boolean(std::string_view name) {
  const JsonSlice* found = slice(name);
  if (found == nullptr) return std::nullopt;
  const std::optional<bool> value = json_boolean(*found);
  if (!value) invalid(name, "must be true or false");
  return value;
}

std::optional<std::int64_t> Fields::integer(std::string_view name, std::int64_t least,
                                            std::int64_t most) {
  const JsonSlice* found = slice(name);
  if (found == nullptr) return std::nullopt;
  const std::optional<std::int64_t> value = json_integer(*found);
  if (value && *value >= least && *value <= most) return value;
  invalid(name, fmt::format("must be a whole number from {} to {}", least, most));
  return std::nullopt;
}

std::optional<double> Fields::number(std::string_view name, double least, double most) {
  const JsonSlice* found = slice(name);
  if (found == nullptr) return std::nullopt;
  const std::optional<double> value = json_number(*found);
  if (value && *value >= least && *value <= most) return value;
  invalid(name, fmt::format("must be a number from {} to {}", least, most));
  return std::nullopt;
}

std::optional<Duration> Fields::seconds(std::string_view name, const SecondsRange& range) {
  const JsonSlice* found = slice(name);
  if (found == nullptr) return std::nullopt;
  const std::optional<double> value = json_number(*found);
  if (value && *value >= range.least && *value <= range.most) {
    if (const auto duration = duration_from_seconds(*value)) return duration;
  }
  invalid(name, range.otherwise);
  return std::nullopt;
}

std::optional<Instant> Fields::time(std::string_view name) {
  const JsonSlice* found = slice(name);
  if (found == nullptr) return std::nullopt;
  const std::optional<std::string> text = json_string(*found);
  const std::optional<Instant> at = text ? parse_time(*text) : std::nullopt;
  if (!at) invalid(name, "must be an RFC 3339 time, such as 2026-11-15T02:22:00.123Z");
  return at;
}

std::optional<std::string> Fields::json(std::string_view name, std::size_t bytes_max) {
  const JsonSlice* found = slice(name);
  if (found == nullptr) return std::nullopt;
  if (found->text.size() <= bytes_max) return std::string(found->text);
  faults_->too_large(place(name), fmt::format("must be at most {1} bytes of JSON, got {0}",
                                              found->text.size(), bytes_max));
  return std::nullopt;
}

std::optional<Fields> Fields::object(std::string_view name) {
  const JsonSlice* found = slice(name);
  if (found == nullptr) return std::nullopt;
  return of(*faults_, place(name), *found);
}

std::optional<Fields> Fields::of(Faults& faults, std::string place, const JsonSlice& slice) {
  std::vector<JsonMember> members;
  const auto scanned = scan_object(slice.text, members, json_depth_limit);
  if (scanned) return Fields(faults, place + '.', std::move(members));
  const bool twice = scanned.fault().kind == JsonFault::Kind::duplicate_name;
  faults.invalid(std::move(place), twice ? scanned.fault().what : "must be an object");
  return std::nullopt;
}

std::optional<std::vector<Fields::Element>> Fields::array(std::string_view name, std::size_t least,
                                                          std::size_t most) {
  const JsonSlice* found = slice(name);
  if (found == nullptr) return std::nullopt;
  std::vector<JsonSlice> slices;
  const auto scanned = scan_array(found->text, slices, json_depth_limit);
  if (!scanned || slices.size() < least || slices.size() > most) {
    const std::string what = scanned ? fmt::format(", got {}", slices.size()) : "";
    invalid(name, fmt::format("must be an array of {} to {} elements{}", least, most, what));
    return std::nullopt;
  }
  std::vector<Element> elements;
  elements.reserve(slices.size());
  for (std::size_t i = 0; i < slices.size(); ++i) {
    elements.push_back({fmt::format("{}{}[{}]", prefix_, name, i), slices[i]});
  }
  return elements;
}

std::optional<std::vector<std::string>> Fields::texts(std::string_view name, std::size_t least,
                                                      std::size_t most, TextFault fault) {
  const auto elements = array(name, least, most);
  if (!elements) return std::nullopt;
  std::vector<std::string> texts;
  texts.reserve(elements->size());
  for (const Element& element : *elements) {
    if (auto text = checked_text(element.place, element.slice, fault)) {
      texts.push_back(std::move(*text));
    }
  }
  return texts;
}

void Fields::ask_for_all() { asked_.assign(members_.size(), true); }

void Fields::finish() {
  for (std::size_t i = 0; i < members_.size() && !faults_->full(); ++i) {
    if (asked_[i]) continue;
    faults_->unknown(place(json_name(members_[i])));
    asked_[i] = true;
  }
}

}  // namespace longshore
