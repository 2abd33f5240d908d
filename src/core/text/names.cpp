#include "core/text/names.h"

#include <algorithm>

#include "core/rules/limits.h"
#include "core/text/utf8.h"

namespace longshore {
namespace {

bool is_name_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == ':' || c == '-';
}

std::string wrong_length(std::string_view noun, std::size_t most, std::size_t length) {
  return std::string(noun) + " must have 1 to " + std::to_string(most) + " characters, got " +
         std::to_string(length);
}

std::optional<std::string> name_fault(std::string_view noun, std::string_view name) {
  if (name.empty() || name.size() > name_characters_max)
    return wrong_length(noun, name_characters_max, name.size());
  const auto wrong = std::find_if_not(name.begin(), name.end(), is_name_character);
  if (wrong == name.end()) return std::nullopt;
  // Does not quote the character, which may be incomplete or unprintable.
  return std::string(noun) + " can contain A-Z a-z 0-9 . _ : and -; byte " +
         std::to_string(wrong - name.begin() + 1) + " is another character";
}

std::optional<std::string> text_fault(std::string_view noun, std::string_view text,
                                      std::size_t most) {
  const auto length = utf8_length(text);
  if (!length) return std::string(noun) + " must be UTF-8";
  if (*length == 0 || *length > most) return wrong_length(noun, most, *length);
  if (text.contains('\0')) return std::string(noun) + " must not contain U+0000";
  return std::nullopt;
}

}  // namespace

bool is_reserved_job_type(std::string_view name) {
  return name.starts_with("longshore.") || name.starts_with('_');
}

std::optional<std::string> any_job_type_fault(std::string_view name) {
  return name_fault("A job type", name);
}

std::optional<std::string> job_type_fault(std::string_view name) {
  if (auto fault = any_job_type_fault(name)) return fault;
  if (!is_reserved_job_type(name)) return std::nullopt;
  return "Job types that begin with longshore. or _ are reserved";
}

std::optional<std::string> queue_fault(std::string_view name) {
  return name_fault("A queue's name", name);
}

std::optional<std::string> callback_url_fault(std::string_view url) {
  const std::size_t scheme = url.starts_with("https://") ? 8 : url.starts_with("http://") ? 7 : 0;
  const bool visible =
      url.find_first_of(std::string_view(" \t\r\n\0", 5)) == std::string_view::npos;
  const std::string_view host = url.substr(scheme, url.find_first_of("/?#", scheme) - scheme);
  if (scheme != 0 && !host.empty() && visible && url.size() <= url_bytes_max) return std::nullopt;
  return "must be an http or https URL of at most 2048 bytes";
}

std::optional<std::string> secret_name_fault(std::string_view name) {
  return name_fault("A secret's name", name);
}

std::optional<std::string> namespace_fault(std::string_view name) {
  return name_fault("A namespace", name);
}

std::optional<std::string> token_name_fault(std::string_view name) {
  return text_fault("A token's name", name, tag_characters_max);
}

std::optional<std::string> key_fault(std::string_view key) {
  return text_fault("A key", key, key_characters_max);
}

std::optional<std::string> worker_id_fault(std::string_view id) {
  return text_fault("A worker's id", id, key_characters_max);
}

std::optional<std::string> tag_fault(std::string_view tag) {
  return text_fault("A tag", tag, tag_characters_max);
}

}  // namespace longshore
