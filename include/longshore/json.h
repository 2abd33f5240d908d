// The pieces of JSON that typed arguments are read from and written to. Most programs never need
// this header: see args.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace longshore {

// Any JSON value as text, for a member whose shape is not known beforehand.
struct RawJson {
  std::string text = "null";
  friend bool operator==(const RawJson&, const RawJson&) = default;
};

// Reads one JSON text. Remembers the first thing that was wrong and where, such as
// "cc[2] must be a string, but is a number"; after that, answers nothing more.
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

  // The text as a whole; nothing, and a fault, if it is not JSON.
  std::optional<Value> open(std::string_view text);

  bool is_null(Value value) const;
  // Each answers nothing, and leaves a fault, if the value is of another kind or out of range.
  std::optional<std::string> string(Value value);
  std::optional<bool> boolean(Value value);
  std::optional<std::int64_t> integer(Value value, std::int64_t least, std::int64_t most);
  std::optional<std::uint64_t> natural(Value value, std::uint64_t most);
  std::optional<double> number(Value value);
  std::optional<std::vector<Member>> members(Value value);
  std::optional<std::vector<Value>> elements(Value value);

  // Steps into a member or an element, for the sake of the fault's place, and out again.
  void enter(std::string_view name);
  void enter(std::size_t index);
  void leave();

  // "<place> <what>", unless something was wrong before.
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

// Writes one JSON text. Text that is not UTF-8 and numbers that JSON has not are faults, told with
// the name of the member they stand in.
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
  void name(std::string_view name);  // a comma too, where one is due
  void end_object() { out_ += '}'; }
  void begin_array() { out_ += '['; }
  void element();  // a comma, where one is due
  void end_array() { out_ += ']'; }

  // "<member> <what>", unless something was wrong before.
  void complain(std::string_view what);
  const std::optional<std::string>& fault() const { return fault_; }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
  std::string name_;  // of the member written last
  std::optional<std::string> fault_;
};

}  // namespace longshore
