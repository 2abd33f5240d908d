// A memory store with its disk and its time in the test's hand.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/ids/random.h"
#include "core/ids/uuid.h"
#include "core/time/clock.h"
#include "store/memory/store.h"

namespace longshore {

class MemoryTest : public testing::Test {
 protected:
  MemoryTest() { open(); }

  // Closes the store, if one is open, and opens one on the same disk.
  void open(const Rules& rules = {});
  Committed commit(const std::vector<Command>& commands);
  Verdict send(const Command& command);

  NewJob job(NewJob wish = {});
  JobId enqueue(NewJob wish = {});
  Lease claim();
  JobId dead(NewJob wish = {});
  void advance(Duration by) { clock_.advance(by); }

  Catalog& catalog() { return backend_->catalog(); }
  std::vector<std::string> hints() { return backend_->wakeups().wait(Duration()); }
  std::vector<std::string> findings();  // their rules
  RequestId request() { return random_id<RequestId>(random_); }

  ManualClock clock_{Instant::millis(1'800'000'000'000)};
  MemoryDisk disk_;
  std::unique_ptr<Backend> backend_;

 private:
  SeededRandom random_{11};
  JobIds ids_{random_};
};

}  // namespace longshore
