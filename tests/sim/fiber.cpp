#include "sim/fiber.h"

#include <memory>
#include <utility>

#include "core/assert.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace longshore::sim {
namespace {

// What a StackPool looks like to Boost, which copies it.
struct Borrowed {
  StackPool* pool;
  boost::context::stack_context allocate() { return pool->allocate(); }
  void deallocate(boost::context::stack_context& stack) noexcept { pool->deallocate(stack); }
};

// Around each switch: what is remembered of the stack that is left, and of the one arrived from.
void leave([[maybe_unused]] void** memory, [[maybe_unused]] const void* bottom,
           [[maybe_unused]] std::size_t size) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(memory, bottom, size);
#endif
}

void arrive([[maybe_unused]] void* memory, [[maybe_unused]] const void** bottom,
            [[maybe_unused]] std::size_t* size) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(memory, bottom, size);
#endif
}

}  // namespace

StackPool::~StackPool() {
  for (boost::context::stack_context& stack : free_) source_.deallocate(stack);
}

boost::context::stack_context StackPool::allocate() {
  if (free_.empty()) return source_.allocate();
  const boost::context::stack_context stack = free_.back();
  free_.pop_back();
  return stack;
}

void StackPool::deallocate(boost::context::stack_context& stack) noexcept {
  free_.push_back(stack);
}

Fiber::Fiber(StackPool& pool, Body body) : body_(std::move(body)) {
  boost::context::stack_context stack = pool.allocate();
  own_ = {.bottom = static_cast<const char*>(stack.sp) - stack.size, .size = stack.size};
  inside_ = boost::context::fiber(
      std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack),
      Borrowed{&pool},
      [this](boost::context::fiber&& outside) { return start(std::move(outside)); });
}

Fiber::~Fiber() { kill(); }

boost::context::fiber Fiber::start(boost::context::fiber&& outside) {
  arrive(nullptr, &others_.bottom, &others_.size);
  outside_ = std::move(outside);
  try {
    if (!killed_) body_();
  } catch (const Killed&) {
    // Everything that stood on this stack is gone, which is all that was wanted.
  }
  done_ = true;
  leave(nullptr, others_.bottom, others_.size);
  return std::move(outside_);
}

void Fiber::resume() {
  LONGSHORE_ASSERT(!done_, "a fiber that ended is not resumed");
  void* memory = nullptr;
  leave(&memory, own_.bottom, own_.size);
  inside_ = std::move(inside_).resume();
  arrive(memory, nullptr, nullptr);
}

void Fiber::step_aside() {
  void* memory = nullptr;
  leave(&memory, others_.bottom, others_.size);
  outside_ = std::move(outside_).resume();
  arrive(memory, &others_.bottom, &others_.size);
  if (killed_) throw Killed();
}

void Fiber::kill() {
  killed_ = true;
  if (!done_) resume();
  LONGSHORE_ASSERT(done_, "a killed fiber does not step aside any more");
}

}  // namespace longshore::sim
