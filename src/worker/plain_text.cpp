#include "worker/plain_text.h"

#include "core/text/utf8.h"

namespace longshore {

std::string plain_text(std::string_view text, std::size_t bytes_max) {
  constexpr std::string_view unreadable = "\xEF\xBF\xBD";
  std::string plain;
  while (!text.empty()) {
    const std::size_t size = utf8_front(text);
    const bool sound = size > 0 && text.front() != '\0';
    const std::string_view next = sound ? text.substr(0, size) : unreadable;
    if (plain.size() + next.size() > bytes_max) break;
    plain += next;
    text.remove_prefix(sound ? size : 1);
  }
  return plain;
}

}  // namespace longshore
