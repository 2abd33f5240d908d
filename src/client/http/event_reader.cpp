#include "client/http/event_reader.h"

#include <algorithm>

namespace longshore {

void EventReader::read(std::string_view piece) {
  buffer_ += piece;
  for (std::size_t end = buffer_.find("\n\n"); end != std::string::npos;
       end = buffer_.find("\n\n")) {
    take(std::string_view(buffer_).substr(0, end));
    buffer_.erase(0, end + 2);
  }
}

void EventReader::take(std::string_view text) {
  std::string_view id;
  std::string_view data;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.starts_with("id: ")) id = line.substr(4);
    if (line.starts_with("data: ")) data = line.substr(6);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!data.empty()) event_(id, data);
}

}  // namespace longshore
