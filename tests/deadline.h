// How long a test waits for what must happen. It is far longer than anything takes that works, and
// short enough that a test that fails says so soon, in words, instead of hanging its run.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace longshore {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr std::chrono::seconds test_deadline{30};
#else
inline constexpr std::chrono::seconds test_deadline{10};
#endif

// Takes `step` after `step` until `is_so`.
template <class Condition, class Step>
[[nodiscard]] ::testing::AssertionResult eventually(Condition is_so, Step step) {
  const auto end = std::chrono::steady_clock::now() + test_deadline;
  while (!is_so()) {
    if (std::chrono::steady_clock::now() >= end) {
      return ::testing::AssertionFailure() << "not within " << test_deadline.count() << " s";
    }
    step();
  }
  return ::testing::AssertionSuccess();
}

template <class Condition>
[[nodiscard]] ::testing::AssertionResult eventually(Condition is_so) {
  return eventually(is_so, [] { std::this_thread::yield(); });
}

// The same for the helpers of a test, which cannot go on without: throws, and so ends the test.
template <class Condition>
void await(const std::string& what, Condition is_so) {
  const ::testing::AssertionResult came = eventually(is_so);
  if (!came) throw std::runtime_error(what + ": " + came.message());
}

// Whether it has a value, or has thrown, in time.
template <class T>
[[nodiscard]] ::testing::AssertionResult comes(const std::future<T>& future) {
  if (future.wait_for(test_deadline) == std::future_status::ready) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << "not within " << test_deadline.count() << " s";
}

// Throws, and so ends the test, if nothing comes.
template <class T>
T in_time(std::future<T> future, const std::string& what) {
  const ::testing::AssertionResult came = comes(future);
  if (!came) throw std::runtime_error(what + ": " + came.message());
  return future.get();
}

}  // namespace longshore
