// Reads and writes the JSON of typed arguments. Most programs only need args.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace longshore {

// Any JSON value as text, for a member of unknown structure.
struct RawJson {
  std::string text = "null";
  friend bool operator==(const RawJson&, const RawJson&) = default;
};

// Reads one JSON text. Keeps the first error with its path, such as "cc[2] must be a string, but is
// a number".
class JsonReader {
 public:
  // One value within the text, which must outlive it.
  struct Value {
    std::string_view text;
  };
  struct Member {
    std::string name;
    Value value;
  };

  // The top-level value; none, and a fault, if the text is not JSON.
  std::optional<Value> open(std::string_view text);

  bool is_null(Value value) const;
  // Each returns none, and sets a fault, if the value is of another type or out of range.
  std::optional<std::string> string(Value value);
  std::optional<bool> boolean(Value value);
  std::optional<std::int64_t> integer(Value value, std::int64_t least, std::int64_t most);
  std::optional<std::uint64_t> natural(Value value, std::uint64_t most);
  std::optional<double> number(Value value);
  std::optional<std::vector<Member>> members(Value value);
  std::optional<std::vector<Value>> elements(Value value);

  // Enter and leave a member or an element, for the path in errors.
  void enter(std::string_view name);
  void enter(std::size_t index);
  void leave();

  // Sets the fault "<path> <what>", unless there is one.
  void complain(std::string_view what);
  const std::optional<std::string>& fault() const { return fault_; }

 private:
  struct Step {
    std::string_view name;
    std::size_t index = 0;
  };
  std::vector<Step> path_;
  std::optional<std::string> fault_;
};

// Writes one JSON text. Text that is not UTF-8 and numbers that JSON cannot represent are faults,
// with the name of their member.
class JsonWriter {
 public:
  void null() { out_ += "null"; }
  void string(std::string_view text);
  void boolean(bool value) { out_ += value ? "true" : "false"; }
  void integer(std::int64_t value) { out_ += std::to_string(value); }
  void natural(std::uint64_t value) { out_ += std::to_string(value); }
  void number(double value);
  void number(float value);
  void raw(std::string_view json);  // must be JSON

  void begin_object() { out_ += '{'; }
  void name(std::string_view name);  // with a comma if necessary
  void end_object() { out_ += '}'; }
  void begin_array() { out_ += '['; }
  void element();  // a comma if necessary
  void end_array() { out_ += ']'; }

  // Sets the fault "<member> <what>", unless there is one.
  void complain(std::string_view what);
  const std::optional<std::string>& fault() const { return fault_; }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
  std::string name_;  // of the member written last
  std::optional<std::string> fault_;
};

}  // namespace longshore
