#include "core/record/history_text.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/text/bytes.h"

namespace longshore {
namespace {

constexpr std::string_view empty_field = "-";

bool is_plain(char c) { return c > ' ' && c < 0x7F && c != '%'; }

std::optional<int> hex_value(char c) {
  const std::size_t at = hex_digits.find(c);
  if (at == std::string_view::npos) return std::nullopt;
  return static_cast<int>(at);
}

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Splits `line` at its spaces; none unless there are exactly `count` fields.
template <std::size_t count>
std::optional<std::array<std::string_view, count>> split(std::string_view line) {
  std::array<std::string_view, count> fields;
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    fields[i] = line.substr(0, space);
    line.remove_prefix(space + 1);
  }
  if (line.contains(' ')) return std::nullopt;
  fields[count - 1] = line;
  return fields;
}

std::optional<Transition> parse_transition(std::string_view line) {
  const auto fields = split<8>(line);
  if (!fields) return std::nullopt;
  const auto& [seq_text, from_text, to_text, cause_text, at_text, epoch_text, worker_text,
               detail_text] = *fields;
  const auto seq = parse_number(seq_text);
  const auto at = parse_number(at_text);
  const auto epoch = parse_number(epoch_text);
  const auto from = parse_state(from_text);
  const auto to = parse_state(to_text);
  const auto cause = parse_cause(cause_text);
  const auto worker = decode_field(worker_text);
  const auto detail = decode_field(detail_text);
  const bool first = from_text == empty_field;
  if (!seq || !at || !epoch || !to || !cause || !worker || !detail || (!from && !first)) {
    return std::nullopt;
  }
  return Transition{.seq = *seq,
                    .from = from,
                    .to = *to,
                    .cause = *cause,
                    .at = Instant::millis(*at),
                    .epoch = *epoch,
                    .worker = *worker,
                    .detail = *detail};
}

// A fixed buffer for one line, so that no part of it checks a string's capacity.
class Line {
 public:
  void add(std::string_view part) { end_ = std::copy(part.begin(), part.end(), end_); }
  void add(std::int64_t number) { end_ = std::to_chars(end_, bytes_.end(), number).ptr; }
  std::string_view text() const { return {bytes_.begin(), end_}; }

 private:
  std::array<char, 192> bytes_;  // the words of states and causes are short, a number has 20 digits
  char* end_ = bytes_.begin();
};

void append_field(std::string& text, std::string_view field) {
  if (field.empty()) {
    text += empty_field;
  } else if (field == empty_field) {
    text += "%2d";
  } else if (std::ranges::all_of(field, is_plain)) {
    text += field;
  } else {
    for (char c : field) {
      const auto byte = static_cast<unsigned char>(c);
      if (is_plain(c)) {
        text += c;
      } else {
        text += {'%', hex_digits[byte >> 4], hex_digits[byte & 15]};
      }
    }
  }
}

}  // namespace

std::string encode_field(std::string_view field) {
  std::string text;
  append_field(text, field);
  return text;
}

std::optional<std::string> decode_field(std::string_view text) {
  std::string field;
  if (text == empty_field) return field;
  if (text.empty()) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      if (!is_plain(text[i])) return std::nullopt;
      field += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const auto high = hex_value(text[i + 1]);
    const auto low = hex_value(text[i + 2]);
    if (!high || !low) return std::nullopt;
    field += static_cast<char>(*high * 16 + *low);
    i += 2;
  }
  return field;
}

void append_transition(std::string& text, const Transition& transition) {
  Line line;
  line.add(transition.seq);
  line.add(" ");
  line.add(transition.from ? to_text(*transition.from) : empty_field);
  line.add(" ");
  line.add(to_text(transition.to));
  line.add(" ");
  line.add(to_text(transition.cause));
  line.add(" ");
  line.add(transition.at.count());
  line.add(" ");
  line.add(transition.epoch);
  line.add(" ");
  text.reserve(std::max(text.capacity(), text.size() + 256));  // four transitions are typical
  text += line.text();
  append_field(text, transition.worker);
  text += ' ';
  append_field(text, transition.detail);
  text += '\n';
}

std::optional<std::vector<Transition>> parse_history(std::string_view text) {
  std::vector<Transition> history;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    auto transition = parse_transition(text.substr(0, end));
    if (!transition) return std::nullopt;
    history.push_back(std::move(*transition));
    text.remove_prefix(end + 1);
  }
  return history;
}

void keep_both_ends(std::vector<Transition>& history, std::int64_t& dropped) {
  constexpr std::ptrdiff_t kept = history_head_kept + history_tail_kept;
  const std::ptrdiff_t excess = std::ssize(history) - kept;
  if (excess <= 0) return;
  const auto middle = history.begin() + history_head_kept;
  history.erase(middle, middle + excess);
  dropped += excess;
}

}  // namespace longshore
