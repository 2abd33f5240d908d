#include "core/json/json_scan.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>

#include "core/json/json_token.h"
#include "core/json/json_value.h"

namespace longshore {
namespace {

JsonKind kind_by_first(char c) {
  switch (c) {
    case 'n':
      return JsonKind::null;
    case 't':
    case 'f':
      return JsonKind::boolean;
    case '"':
      return JsonKind::string;
    case '[':
      return JsonKind::array;
    case '{':
      return JsonKind::object;
    default:
      return JsonKind::number;
  }
}

// One pass over a text. Functions that return false or Step::fault have set the fault.
class Scanner {
 public:
  Scanner(std::string_view text, int depth_max)
      : begin_(text.data()),
        end_(text.data() + text.size()),
        depth_max_(std::min(depth_max, json_depth_limit)),
        at_(text.data()) {}

  JsonFault take_fault() { return std::move(fault_); }

  // Each reads one value and the space before it.
  bool value(JsonSlice& slice);
  bool list(JsonSlice& slice, std::vector<JsonMember>& members);
  bool list(JsonSlice& slice, std::vector<JsonSlice>& elements);

  bool finish();

 private:
  enum class Step { value, done, fault };

  char peek() const { return at_ == end_ ? '\0' : *at_; }
  bool fail(const char* what, JsonFault::Kind kind = JsonFault::Kind::syntax);
  bool unexpected();
  void skip_space();
  void begin_slice(JsonSlice& slice);
  void end_slice(JsonSlice& slice) const;

  std::uint64_t& level_word() { return objects_[static_cast<std::size_t>(depth_ - 1) / 64]; }
  std::uint64_t level_bit() const { return std::uint64_t{1} << (depth_ - 1) % 64; }
  bool in_object() { return (level_word() & level_bit()) != 0; }

  Step begin_value();
  Step end_value(int depth);
  Step open(bool is_object);
  Step after_element();
  bool name(JsonMember& member);
  bool take(const JsonToken& token);
  bool literal(std::string_view word);

  // Constant after construction.
  const char* begin_;
  const char* end_;
  int depth_max_;

  const char* at_;
  int depth_ = 0;
  // One bit for each open level: set for an object, clear for an array.
  std::array<std::uint64_t, json_depth_limit / 64> objects_{};
  JsonFault fault_;
};

bool Scanner::fail(const char* what, JsonFault::Kind kind) {
  fault_ = {.kind = kind, .offset = static_cast<std::size_t>(at_ - begin_), .what = what};
  return false;
}

bool Scanner::unexpected() {
  if (at_ == end_) return fail("expected a value, but the text ends");
  if (at_ == begin_ && std::string_view(at_, end_).starts_with("\xEF\xBB\xBF")) {
    return fail("a byte order mark is not allowed");
  }
  return fail("expected a value");
}

void Scanner::skip_space() {
  while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
}

void Scanner::begin_slice(JsonSlice& slice) {
  skip_space();
  slice = {.text = std::string_view(at_, at_), .kind = kind_by_first(peek())};
}

void Scanner::end_slice(JsonSlice& slice) const {
  slice.text = std::string_view(slice.text.data(), at_);
}

bool Scanner::take(const JsonToken& token) {
  at_ = token.end;
  if (token.what == nullptr) return true;
  return fail(token.what, token.is_bad_utf8 ? JsonFault::Kind::bad_utf8 : JsonFault::Kind::syntax);
}

bool Scanner::literal(std::string_view word) {
  if (!std::string_view(at_, end_).starts_with(word)) return unexpected();
  at_ += word.size();
  return true;
}

// Reads an opening bracket, and the closing one if there is nothing in between.
Scanner::Step Scanner::open(bool is_object) {
  if (depth_ >= depth_max_) {
    fail("arrays and objects are nested too deeply", JsonFault::Kind::too_deep);
    return Step::fault;
  }
  ++at_;
  ++depth_;
  level_word() = is_object ? level_word() | level_bit() : level_word() & ~level_bit();
  skip_space();
  if (peek() != (is_object ? '}' : ']')) return Step::value;
  ++at_;
  --depth_;
  return Step::done;
}

// Reads the comma before another element, or the bracket that ends the level.
Scanner::Step Scanner::after_element() {
  skip_space();
  const char c = peek();
  if (c == ',') {
    ++at_;
    return Step::value;
  }
  if (c == (in_object() ? '}' : ']')) {
    ++at_;
    --depth_;
    return Step::done;
  }
  fail(in_object() ? "expected a comma or a closing brace"
                   : "expected a comma or a closing bracket");
  return Step::fault;
}

bool Scanner::name(JsonMember& member) {
  skip_space();
  if (peek() != '"') return fail("expected a quoted key");
  const char* quote = at_;
  const JsonToken token = scan_json_string(at_, end_);
  if (!take(token)) return false;
  member.raw_name = std::string_view(quote + 1, at_ - 1);
  member.name_has_escapes = token.has_escapes;
  skip_space();
  if (peek() != ':') return fail("expected a colon");
  ++at_;
  return true;
}

Scanner::Step Scanner::begin_value() {
  skip_space();
  const auto scalar = [](bool valid) { return valid ? Step::done : Step::fault; };
  const char c = peek();
  if (c == '"') return scalar(take(scan_json_string(at_, end_)));
  if (c == '-' || (c >= '0' && c <= '9')) return scalar(take(scan_json_number(at_, end_)));
  if (c == '[') return open(false);
  if (c == '{') {
    JsonMember ignored;
    const Step step = open(true);
    return step == Step::value ? (name(ignored) ? Step::value : Step::fault) : step;
  }
  if (c == 't') return scalar(literal("true"));
  if (c == 'f') return scalar(literal("false"));
  if (c == 'n') return scalar(literal("null"));
  return scalar(unexpected());
}

// Closes the levels that end with the value just read, down to `depth`, until one continues.
Scanner::Step Scanner::end_value(int depth) {
  while (depth_ > depth) {
    const Step step = after_element();
    if (step == Step::fault) return step;
    if (step == Step::value) {
      JsonMember ignored;
      return in_object() && !name(ignored) ? Step::fault : Step::value;
    }
  }
  return Step::done;
}

// Uses a stack of bits instead of recursion, so that no text can overflow the program's stack.
bool Scanner::value(JsonSlice& slice) {
  begin_slice(slice);
  const int depth = depth_;
  Step step = Step::value;
  while (step == Step::value) {
    step = begin_value();
    if (step == Step::done) step = end_value(depth);
  }
  end_slice(slice);
  return step == Step::done;
}

bool Scanner::list(JsonSlice& slice, std::vector<JsonMember>& members) {
  begin_slice(slice);
  if (slice.kind != JsonKind::object) return value(slice);
  Step step = open(true);
  while (step == Step::value) {
    JsonMember& member = members.emplace_back();
    if (!name(member) || !value(member.value)) return false;
    step = after_element();
  }
  end_slice(slice);
  return step == Step::done;
}

bool Scanner::list(JsonSlice& slice, std::vector<JsonSlice>& elements) {
  begin_slice(slice);
  if (slice.kind != JsonKind::array) return value(slice);
  Step step = open(false);
  while (step == Step::value) {
    if (!value(elements.emplace_back())) return false;
    step = after_element();
  }
  end_slice(slice);
  return step == Step::done;
}

bool Scanner::finish() {
  skip_space();
  return at_ == end_ || fail("unexpected text after the value");
}

bool same_name(const JsonMember& a, const JsonMember& b) {
  if (!a.name_has_escapes && !b.name_has_escapes) return a.raw_name == b.raw_name;
  return json_name(a) == json_name(b);
}

// Compares all pairs, which is faster than sorting for the usual number of members.
const JsonMember* repeated_among_few(const std::vector<JsonMember>& members) {
  for (std::size_t later = 1; later < members.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      if (same_name(members[earlier], members[later])) return &members[later];
    }
  }
  return nullptr;
}

const JsonMember* repeated_among_many(const std::vector<JsonMember>& members) {
  std::deque<std::string> unescaped;
  std::vector<std::pair<std::string_view, const JsonMember*>> names;
  names.reserve(members.size());
  for (const JsonMember& member : members) {
    names.emplace_back(
        member.name_has_escapes ? unescaped.emplace_back(json_name(member)) : member.raw_name,
        &member);
  }
  std::sort(names.begin(), names.end());
  const JsonMember* first = nullptr;
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (names[i - 1].first != names[i].first) continue;
    if (first == nullptr || names[i].second < first) first = names[i].second;
  }
  return first;
}

const JsonMember* repeated(const std::vector<JsonMember>& members) {
  constexpr std::size_t few = 24;
  return members.size() <= few ? repeated_among_few(members) : repeated_among_many(members);
}

JsonFault fault_at(std::string_view text, const char* at, JsonFault::Kind kind, const char* what) {
  return {.kind = kind, .offset = static_cast<std::size_t>(at - text.data()), .what = what};
}

}  // namespace

ScanResult<JsonSlice> scan_json(std::string_view text, int depth_max) {
  Scanner scanner(text, depth_max);
  JsonSlice slice;
  if (!scanner.value(slice) || !scanner.finish()) return scanner.take_fault();
  return slice;
}

ScanResult<JsonSlice> scan_object(std::string_view text, std::vector<JsonMember>& members,
                                  int depth_max) {
  members.clear();
  Scanner scanner(text, depth_max);
  JsonSlice slice;
  if (!scanner.list(slice, members) || !scanner.finish()) {
    members.clear();
    return scanner.take_fault();
  }
  if (slice.kind != JsonKind::object) {
    return fault_at(text, slice.text.data(), JsonFault::Kind::wrong_kind, "expected an object");
  }
  if (const JsonMember* member = repeated(members)) {
    const char* at = member->raw_name.data() - 1;
    members.clear();
    return fault_at(text, at, JsonFault::Kind::duplicate_name, "duplicate key");
  }
  return slice;
}

ScanResult<JsonSlice> scan_array(std::string_view text, std::vector<JsonSlice>& elements,
                                 int depth_max) {
  elements.clear();
  Scanner scanner(text, depth_max);
  JsonSlice slice;
  if (!scanner.list(slice, elements) || !scanner.finish()) {
    elements.clear();
    return scanner.take_fault();
  }
  if (slice.kind != JsonKind::array) {
    return fault_at(text, slice.text.data(), JsonFault::Kind::wrong_kind, "expected an array");
  }
  return slice;
}

}  // namespace longshore
