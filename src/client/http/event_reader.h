// An incremental parser for Server-Sent Events.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace longshore {

class EventReader {
 public:
  // Called with each event that has data.
  using Event = std::function<void(std::string_view id, std::string_view data)>;
  explicit EventReader(Event event) : event_(std::move(event)) {}

  void read(std::string_view piece);
  // A new response begins; a partial event is dropped.
  void restart() { buffer_.clear(); }

 private:
  void take(std::string_view text);

  const Event event_;
  std::string buffer_;
};

}  // namespace longshore
