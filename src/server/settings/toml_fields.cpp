#include "server/settings/toml_fields.h"

#include <charconv>
#include <utility>

#include "server/settings/duration_text.h"

namespace longshore {

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

void refuse(const toml::node& node, std::string what) {
  throw TomlFault{std::move(what), line_of(node)};
}

std::string text_of(const toml::node& node, std::string_view name) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  if (const auto* whole = node.as_integer()) return std::to_string(whole->get());
  if (const auto* number = node.as_floating_point()) {
    std::array<char, 64> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number->get(),
                                   std::chars_format::fixed);
    return {text.data(), end.ptr};
  }
  refuse(node, std::string(name) + " must be a text, a number, true or false");
}

std::vector<std::string> texts_of(const toml::node& node, std::string_view name) {
  const toml::array* array = node.as_array();
  if (array == nullptr) return {text_of(node, name)};
  std::vector<std::string> texts;
  for (const toml::node& element : *array) texts.push_back(text_of(element, name));
  return texts;
}

bool truth_of(const toml::node& node, std::string_view name) {
  if (const auto* truth = node.as_boolean()) return truth->get();
  refuse(node, std::string(name) + " must be true or false");
}

double number_of(const toml::node& node, std::string_view name, double least, double most) {
  const auto number = node.value<double>();
  if (!node.is_number() || !number || *number < least || *number > most) {
    refuse(node, std::string(name) + " must be a number from " + text_of(toml::value(least), name) +
                     " to " + text_of(toml::value(most), name));
  }
  return *number;
}

std::int64_t whole_of(const toml::node& node, std::string_view name, std::int64_t least,
                      std::int64_t most) {
  if (!node.is_integer()) refuse(node, std::string(name) + " must be a whole number");
  return static_cast<std::int64_t>(
      number_of(node, name, static_cast<double>(least), static_cast<double>(most)));
}

Duration seconds_of(const toml::node& node, std::string_view name) {
  constexpr double ten_thousand_years = 315'576'000'000.0;
  const double seconds = number_of(node, name, 0, ten_thousand_years);
  return Duration::millis(static_cast<std::int64_t>(seconds * 1000.0 + 0.5));
}

Duration duration_of(const toml::node& node, std::string_view name) {
  const auto duration = parse_duration(text_of(node, name));
  if (!duration) refuse(node, std::string(name) + " must be a duration, such as 12h, 7d or never");
  return *duration;
}

}  // namespace longshore
