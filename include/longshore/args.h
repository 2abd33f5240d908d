// Typed arguments. One line in a struct makes it convertible from and to JSON:
//
//   struct SendEmail {
//     static constexpr std::string_view job_type = "email.send";
//     std::string to, subject;
//     std::vector<std::string> cc;
//     LONGSHORE_ARGS(to, subject, cc)
//   };
//
// Members may be strings, integers, floating point, bool, enums, RawJson, structs of the same
// kind, and std::optional, std::vector and string-keyed maps of those. When reading, unknown
// names are ignored, missing ones leave the member unchanged, and a value of the wrong type or out
// of range is an error that gives its path. An enum is a number, unless a function
// `enum_names(Enum)` in its namespace returns a range of pairs of value and name.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "longshore/error.h"
#include "longshore/json.h"

// Lists the members that are arguments. At most once in a struct, after the members.
#define LONGSHORE_ARGS(...)                                                             \
  static constexpr std::string_view longshore_names() noexcept { return #__VA_ARGS__; } \
  auto longshore_members() noexcept { return std::tie(__VA_ARGS__); }                   \
  auto longshore_members() const noexcept { return std::tie(__VA_ARGS__); }

namespace longshore {

// A struct with LONGSHORE_ARGS.
template <class T>
concept HasArgs = requires(T& object) {
  object.longshore_members();
  T::longshore_names();
};

// One that also names its job type.
template <class T>
concept JobArgs = HasArgs<T> && requires {
  { T::job_type } -> std::convertible_to<std::string_view>;
};

namespace json {  // reads and writes each kind of member

template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
                  !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
                  !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

template <class T>
concept NamedEnum = std::is_enum_v<T> && requires(T value) {
  enum_names(value);
};

template <class T>
concept StringMap = requires(T& map, const typename T::key_type& key) {
  requires std::same_as<typename T::key_type, std::string>;
  typename T::mapped_type;
  map[key];
};

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_vector = false;
template <class T, class Allocator>
inline constexpr bool is_vector<std::vector<T, Allocator>> = true;
template <class T>
inline constexpr bool no_such_kind = false;

// Removes the next name from a list as the preprocessor writes it: "to, subject, cc".
constexpr std::string_view next_name(std::string_view& names) {
  const std::size_t comma = names.find(',');
  const std::string_view name = names.substr(0, comma);
  names.remove_prefix(comma == std::string_view::npos ? names.size() : comma + 1);
  while (names.starts_with(' ')) names.remove_prefix(1);
  return name;
}

template <class T>
void read(JsonReader& reader, JsonReader::Value value, T& out);
template <class T>
void write(JsonWriter& writer, const T& value);

template <std::integral T>
void read_integer(JsonReader& reader, JsonReader::Value value, T& out) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_signed_v<T>) {
    if (auto whole = reader.integer(value, Limits::min(), Limits::max())) {
      out = static_cast<T>(*whole);
    }
  } else {
    if (auto whole = reader.natural(value, Limits::max())) out = static_cast<T>(*whole);
  }
}

template <std::floating_point T>
void read_floating(JsonReader& reader, JsonReader::Value value, T& out) {
  const std::optional<double> number = reader.number(value);
  if (!number) return;
  constexpr auto most = static_cast<long double>(std::numeric_limits<T>::max());
  if (*number > most || *number < -most) {
    return reader.complain("must be a number that fits, but is " + std::string(value.text));
  }
  out = static_cast<T>(*number);
}

template <NamedEnum T>
void read_name(JsonReader& reader, JsonReader::Value value, T& out) {
  const std::optional<std::string> text = reader.string(value);
  if (!text) return;
  std::string known;
  for (const auto& [one, name] : enum_names(out)) {
    if (*text == name) {
      out = one;
      return;
    }
    if (!known.empty()) known += ", ";
    known += name;
  }
  reader.complain("must be one of " + known + ", but is \"" + *text + "\"");
}

template <HasArgs T>
void read_members(JsonReader& reader, JsonReader::Value value, T& out) {
  const auto members = reader.members(value);
  if (!members) return;
  std::string_view names = T::longshore_names();
  std::apply(
      [&](auto&... field) {
        [[maybe_unused]] const auto read_one = [&](auto& one) {
          const std::string_view name = next_name(names);
          for (const JsonReader::Member& member : *members) {
            if (member.name != name) continue;
            reader.enter(name);
            read(reader, member.value, one);
            reader.leave();
          }
        };
        (read_one(field), ...);
      },
      out.longshore_members());
}

template <class T>
void read_vector(JsonReader& reader, JsonReader::Value value, T& out) {
  const auto elements = reader.elements(value);
  if (!elements) return;
  out.clear();
  for (std::size_t i = 0; i < elements->size(); ++i) {
    typename T::value_type element{};
    reader.enter(i);
    read(reader, (*elements)[i], element);
    reader.leave();
    out.push_back(std::move(element));
  }
}

template <StringMap T>
void read_map(JsonReader& reader, JsonReader::Value value, T& out) {
  const auto members = reader.members(value);
  if (!members) return;
  out.clear();
  for (const JsonReader::Member& member : *members) {
    reader.enter(member.name);
    read(reader, member.value, out[member.name]);
    reader.leave();
  }
}

template <class T>
void read(JsonReader& reader, JsonReader::Value value, T& out) {
  if (reader.fault()) return;
  if constexpr (HasArgs<T>) {
    read_members(reader, value, out);
  } else if constexpr (std::same_as<T, RawJson>) {
    out.text = value.text;
  } else if constexpr (std::same_as<T, std::string>) {
    if (auto text = reader.string(value)) out = std::move(*text);
  } else if constexpr (std::same_as<T, bool>) {
    if (auto truth = reader.boolean(value)) out = *truth;
  } else if constexpr (Integer<T>) {
    read_integer(reader, value, out);
  } else if constexpr (std::floating_point<T>) {
    read_floating(reader, value, out);
  } else if constexpr (NamedEnum<T>) {
    read_name(reader, value, out);
  } else if constexpr (std::is_enum_v<T>) {
    auto number = static_cast<std::underlying_type_t<T>>(out);
    read_integer(reader, value, number);
    out = static_cast<T>(number);
  } else if constexpr (is_optional<T>) {
    if (reader.is_null(value)) return out.reset();
    read(reader, value, out.emplace());
  } else if constexpr (is_vector<T>) {
    read_vector(reader, value, out);
  } else if constexpr (StringMap<T>) {
    read_map(reader, value, out);
  } else {
    static_assert(no_such_kind<T>, "not a kind of member that LONGSHORE_ARGS knows; see args.h");
  }
}

template <NamedEnum T>
void write_name(JsonWriter& writer, T value) {
  for (const auto& [one, name] : enum_names(value)) {
    if (one == value) return writer.string(name);
  }
  writer.complain("has no name in enum_names");
}

template <HasArgs T>
void write_members(JsonWriter& writer, const T& value) {
  std::string_view names = T::longshore_names();
  writer.begin_object();
  std::apply(
      [&](const auto&... field) { ((writer.name(next_name(names)), write(writer, field)), ...); },
      value.longshore_members());
  writer.end_object();
}

template <class T>
void write(JsonWriter& writer, const T& value) {
  if constexpr (HasArgs<T>) {
    write_members(writer, value);
  } else if constexpr (std::same_as<T, RawJson>) {
    writer.raw(value.text);
  } else if constexpr (std::convertible_to<const T&, std::string_view>) {
    writer.string(value);
  } else if constexpr (std::same_as<T, bool>) {
    writer.boolean(value);
  } else if constexpr (Integer<T>) {
    if constexpr (std::is_signed_v<T>) {
      writer.integer(value);
    } else {
      writer.natural(value);
    }
  } else if constexpr (std::same_as<T, float>) {
    writer.number(value);
  } else if constexpr (std::floating_point<T>) {
    writer.number(static_cast<double>(value));
  } else if constexpr (NamedEnum<T>) {
    write_name(writer, value);
  } else if constexpr (std::is_enum_v<T>) {
    using Underlying = std::underlying_type_t<T>;
    using Whole = std::conditional_t<std::is_signed_v<Underlying>, std::int64_t, std::uint64_t>;
    write(writer, static_cast<Whole>(value));
  } else if constexpr (is_optional<T>) {
    if (!value) return writer.null();
    write(writer, *value);
  } else if constexpr (is_vector<T>) {
    writer.begin_array();
    for (const auto& element : value) {
      writer.element();
      write<typename T::value_type>(writer, element);
    }
    writer.end_array();
  } else if constexpr (StringMap<T>) {
    writer.begin_object();
    for (const auto& [name, element] : value) {
      writer.name(name);
      write(writer, element);
    }
    writer.end_object();
  } else {
    static_assert(no_such_kind<T>, "not a kind of member that LONGSHORE_ARGS knows; see args.h");
  }
}

}  // namespace json

// Errc::invalid, with the member, for values that JSON cannot represent: text that is not UTF-8,
// infinity.
template <class T>
Result<std::string> to_json(const T& value) {
  JsonWriter writer;
  json::write(writer, value);
  if (writer.fault()) return Error{Errc::invalid, *writer.fault()};
  return writer.take();
}

// Errc::invalid for text that is not JSON and for values that do not fit.
template <class T>
Result<T> from_json(std::string_view text) {
  JsonReader reader;
  T out{};
  if (const auto value = reader.open(text)) json::read(reader, *value, out);
  if (reader.fault()) return Error{Errc::invalid, *reader.fault()};
  return out;
}

}  // namespace longshore
