// Wakes one thread, which sleeps at once: the standard's own semaphore first spins and yields, and
// with many threads behind few processors that costs more than the work they wait for.
#pragma once

#include <semaphore.h>

#include <cerrno>

namespace longshore::sqlite {

class Signal {
 public:
  Signal() { ::sem_init(&semaphore_, 0, 0); }
  ~Signal() { ::sem_destroy(&semaphore_); }
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  // What was written before is seen by the one who wakes.
  void raise() { ::sem_post(&semaphore_); }
  void wait() {
    while (::sem_wait(&semaphore_) != 0 && errno == EINTR) {
    }
  }

 private:
  sem_t semaphore_;
};

}  // namespace longshore::sqlite
