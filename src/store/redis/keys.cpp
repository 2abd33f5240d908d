#include "store/redis/keys.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/ids/uuid.h"

namespace longshore::redis {
namespace {

// No namespace has this in its tag: word() would have encoded it.
constexpr std::string_view shared_tag = "*";

bool is_plain(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == ':' || c == '-';
}

}  // namespace

std::string word(std::string_view name) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string text;
  text.reserve(name.size());
  for (const char c : name) {
    if (is_plain(c)) {
      text += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    text += '%';
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

std::optional<std::string> parse_word(std::string_view text) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'A' + 10; };
  std::string name;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      name += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    name += static_cast<char>(digit(text[i + 1]) << 4 | digit(text[i + 2]));
    i += 2;
  }
  return name;
}

std::optional<JobId> parse_uuid(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  std::array<char, 36> digits;
  const auto end = std::ranges::remove_copy(text, digits.begin(), '-').out;
  return parse_hex_id<JobId>(std::string_view(digits.begin(), end));
}

ReadyList list_of(const Job& job) {
  return {.queue = job.queue, .priority = job.priority, .type = job.type};
}

std::string name_of(const ReadyList& list) {
  return std::to_string(list.priority) + "/" + word(list.type);
}

Keys::Keys(const std::string& prefix, const std::string& ns)
    : tag_(word(ns)), base_(prefix + ":{" + tag_ + "}:") {}

Keys Keys::tagged(const std::string& prefix, std::string tag) {
  Keys keys;
  keys.base_ = prefix + ":{" + tag + "}:";
  keys.tag_ = std::move(tag);
  return keys;
}

Keys Keys::shared(const std::string& prefix) { return tagged(prefix, std::string(shared_tag)); }

Keys Keys::ids(const std::string& prefix, std::int64_t hour) {
  return tagged(prefix, std::string(shared_tag) + "ids:" + std::to_string(hour));
}

std::string Keys::ready(const ReadyList& list) const {
  return base_ + "ready:" + word(list.queue) + "/" + name_of(list);
}

std::string job_key_name(const std::string& type, const std::string& key) {
  return word(type) + "/" + word(key);
}

std::string once_name(bool platform, const std::string& key) {
  return (platform ? "p/" : "c/") + word(key);
}

}  // namespace longshore::redis
