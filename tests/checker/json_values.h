// Single values from and to JSON, for json_fields.h. Missing values have their default.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "checker/json_fields.h"
#include "core/ids/lease_token.h"
#include "core/ids/uuid.h"

namespace longshore::checker {

namespace json = boost::json;

class JsonOut;
class JsonIn;

template <class T>
concept HasFields = requires(JsonOut& io, T& value) {
  fields(io, value);
};

template <class Enum, class Words>
Enum parse_word(std::string_view text, int count, Words words) {
  for (int i = 0; i < count; ++i) {
    if (words(static_cast<Enum>(i)) == text) return static_cast<Enum>(i);
  }
  throw std::invalid_argument("unknown word " + std::string(text));
}

inline json::value written(const std::string& v) { return json::string(v); }
inline json::value written(bool v) { return v; }
inline json::value written(int v) { return v; }
inline json::value written(std::int64_t v) { return v; }
inline json::value written(double v) { return v; }
inline json::value written(std::uint64_t v) { return json::string(to_hex(0, v).substr(16)); }
inline json::value written(Instant v) { return v.count(); }
inline json::value written(Duration v) { return v.count(); }
inline json::value written(const JobId& v) { return json::string(to_text(v)); }
inline json::value written(const RequestId& v) { return json::string(to_hex(v)); }
inline json::value written(const LeaseToken& v) { return json::string(longshore::to_text(v)); }
inline json::value written(State v) { return json::string(to_text(v)); }
inline json::value written(Status v) { return json::string(to_text(v)); }
inline json::value written(Cause v) { return json::string(to_text(v)); }
inline json::value written(Verb v) { return json::string(to_text(v)); }
inline json::value written(OnConflict v) { return static_cast<int>(v); }
inline json::value written(Backoff::Kind v) { return static_cast<int>(v); }
template <HasFields T>
json::value written(const T& v);
template <class T>
json::value written(const std::optional<T>& v) {
  return v ? written(*v) : json::value();
}
template <class T>
json::value written(const std::vector<T>& v) {
  json::array all;
  for (const T& one : v) all.push_back(written(one));
  return all;
}

inline std::string_view text_of(const json::value& v) { return v.as_string(); }
template <class T>
T needed(std::optional<T> value, const json::value& v) {
  if (!value) throw std::invalid_argument("cannot read " + json::serialize(v));
  return *value;
}

inline void read(const json::value& v, std::string& out) { out = text_of(v); }
inline void read(const json::value& v, bool& out) { out = v.as_bool(); }
inline void read(const json::value& v, int& out) { out = v.to_number<int>(); }
inline void read(const json::value& v, std::int64_t& out) { out = v.to_number<std::int64_t>(); }
inline void read(const json::value& v, double& out) { out = v.to_number<double>(); }
inline void read(const json::value& v, std::uint64_t& out) {
  const std::string padded = std::string(16, '0') + std::string(text_of(v));
  out = needed(parse_hex(padded), v).second;
}
inline void read(const json::value& v, Instant& out) {
  out = Instant::millis(v.to_number<std::int64_t>());
}
inline void read(const json::value& v, Duration& out) {
  out = Duration::millis(v.to_number<std::int64_t>());
}
inline void read(const json::value& v, JobId& out) { out = needed(parse_job_id(text_of(v)), v); }
inline void read(const json::value& v, RequestId& out) {
  out = needed(parse_hex_id<RequestId>(text_of(v)), v);
}
inline void read(const json::value& v, LeaseToken& out) {
  out = needed(parse_lease_token(text_of(v)), v);
}
inline void read(const json::value& v, State& out) { out = needed(parse_state(text_of(v)), v); }
inline void read(const json::value& v, Cause& out) { out = needed(parse_cause(text_of(v)), v); }
inline void read(const json::value& v, Status& out) {
  out = parse_word<Status>(text_of(v), 5, [](Status s) { return to_text(s); });
}
inline void read(const json::value& v, Verb& out) {
  out = parse_word<Verb>(text_of(v), verb_count, [](Verb s) { return to_text(s); });
}
inline void read(const json::value& v, OnConflict& out) {
  out = static_cast<OnConflict>(v.to_number<std::uint8_t>());
}
inline void read(const json::value& v, Backoff::Kind& out) {
  out = static_cast<Backoff::Kind>(v.to_number<std::uint8_t>());
}
template <HasFields T>
void read(const json::value& v, T& out);
template <class T>
void read(const json::value& v, std::optional<T>& out) {
  if (v.is_null()) return out.reset();
  read(v, out.emplace());
}
template <class T>
void read(const json::value& v, std::vector<T>& out) {
  for (const json::value& one : v.as_array()) read(one, out.emplace_back());
}

// Values that can be omitted. Numbers never are, since few of them default to 0; nor are words,
// optionals and flags with another default than the empty one.
template <class T>
bool reads_back(std::string_view name, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return !value && name != "retryable" && name != "fresh";
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value.empty() && name != "queue";
  } else if constexpr (requires { value.has_value(); }) {
    return !value.has_value() && name != "maxMs";
  } else if constexpr (requires { value.empty(); }) {
    return value.empty();
  } else if constexpr (std::is_same_v<T, JobId> || std::is_same_v<T, RequestId> ||
                       std::is_same_v<T, LeaseToken>) {
    return value == T{};
  } else {
    return false;
  }
}

class JsonOut {
 public:
  template <class T>
  void operator()(std::string_view name, T& member) {
    if (!reads_back(name, member)) object[name] = written(member);
  }
  json::object object;
};

class JsonIn {
 public:
  explicit JsonIn(const json::object& object) : object_(object) {}
  template <class T>
  void operator()(std::string_view name, T& member) {
    if (const json::value* found = object_.if_contains(name)) read(*found, member);
  }

 private:
  const json::object& object_;
};

template <HasFields T>
json::value written(const T& v) {
  JsonOut out;
  // `fields` is used in both directions and so takes mutable members; writing does not change them.
  fields(out, const_cast<T&>(v));
  return out.object;
}

template <HasFields T>
void read(const json::value& v, T& out) {
  JsonIn in(v.as_object());
  fields(in, out);
}

}  // namespace longshore::checker
