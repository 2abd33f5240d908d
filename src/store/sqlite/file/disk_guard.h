// Room kept back for the day the disk is full: a file of a fixed size beside the store. Removing
// it lets workers still settle what they hold, while new jobs are refused.
#pragma once

#include <cstdint>
#include <string>

namespace longshore::sqlite {

// Used by the writer alone.
class DiskGuard {
 public:
  // Reserves at once if there is room. No bytes: there is never anything to give up.
  DiskGuard(std::string path, std::int64_t bytes);

  bool holds() const { return holds_; }
  void give_up();
  // Reserves again once there is twice the room that it takes. True when it holds.
  bool restore();

 private:
  bool reserve();

  const std::string path_;
  const std::int64_t bytes_;
  bool holds_ = false;
};

}  // namespace longshore::sqlite
