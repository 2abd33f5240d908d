// A fiber is a flow of control that runs until it steps aside, and goes on from there when it is
// resumed. Nothing here is a thread: whoever resumes waits. AddressSanitizer is told of every
// switch.
#pragma once

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <cstddef>
#include <functional>
#include <vector>

namespace longshore::sim {

// Stacks are mapped once and used again. Outlives every fiber that stands on one.
class StackPool {
 public:
  StackPool() = default;
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  boost::context::stack_context allocate();
  void deallocate(boost::context::stack_context& stack) noexcept;

 private:
  boost::context::protected_fixedsize_stack source_{256 * 1024};
  std::vector<boost::context::stack_context> free_;
};

class Fiber {
 public:
  using Body = std::function<void()>;

  // Nothing of `body` runs before the first resume(). It must not throw.
  Fiber(StackPool& pool, Body body);
  // What is left of the body is unwound first.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // From outside: runs it until it steps aside or ends. REQUIRES: !done()
  void resume();
  // From within: returns to the resumer. Does not return if the fiber is killed.
  void step_aside();
  // From outside: its stack is unwound, destructors and all, and nothing else of it runs.
  void kill();

  bool done() const { return done_; }

 private:
  struct Killed {};   // unwinds the stack; caught only at the fiber's start
  struct StoreHost {  // a stack, as AddressSanitizer wants to know it
    const void* bottom = nullptr;
    std::size_t size = 0;
  };

  boost::context::fiber start(boost::context::fiber&& outside);

  Body body_;
  StoreHost own_;
  StoreHost others_;
  boost::context::fiber inside_;
  boost::context::fiber outside_;
  bool killed_ = false;
  bool done_ = false;
};

}  // namespace longshore::sim
