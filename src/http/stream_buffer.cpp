#include "http/stream_buffer.h"

#include <utility>

namespace longshore::wire {

StreamBuffer::Put StreamBuffer::put(std::string_view bytes) {
  const MutexLock lock(mutex_);
  const std::size_t room = bytes_max_ - waiting_.size() - taken_;
  if (gone_ || ended_ || bytes.size() > room) return Put::refused;
  if (bytes.empty()) return Put::kept;
  waiting_.append(bytes);
  return std::exchange(told_, true) ? Put::kept : Put::kept_first;
}

bool StreamBuffer::end() {
  const MutexLock lock(mutex_);
  return !std::exchange(ended_, true);
}

StreamBuffer::Taken StreamBuffer::take() {
  const MutexLock lock(mutex_);
  told_ = false;
  taken_ += waiting_.size();
  return {std::exchange(waiting_, {}), ended_};
}

void StreamBuffer::release(std::size_t bytes) {
  const MutexLock lock(mutex_);
  taken_ -= bytes;
}

void StreamBuffer::leave() {
  const MutexLock lock(mutex_);
  gone_ = true;
  waiting_ = {};
}

}  // namespace longshore::wire
