#include "server/unused_memory.h"

#include <malloc.h>

namespace longshore {
namespace {

constexpr std::size_t worth_giving_back = 64 * 1024 * 1024;
constexpr std::chrono::seconds look_every{10};

}  // namespace

void UnusedMemory::give_back() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + look_every;
  // Freed but still held by the allocator's arenas.
  if (::mallinfo2().fordblks > worth_giving_back) ::malloc_trim(0);
}

}  // namespace longshore
