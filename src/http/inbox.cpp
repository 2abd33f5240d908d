#include "http/inbox.h"

#include <utility>

namespace longshore::wire {

void Inbox::put(std::weak_ptr<Connection> connection, Errand errand) {
  {
    const MutexLock lock(mutex_);
    if (wake_) {
      letters_.push_back({std::move(connection), std::move(errand)});
      if (letters_.size() == 1) wake_();
      return;
    }
  }
  errand(nullptr);
}

void Inbox::take(std::vector<Letter>& empty) {
  const MutexLock lock(mutex_);
  letters_.swap(empty);
}

void Inbox::close() {
  std::vector<Letter> letters;
  {
    const MutexLock lock(mutex_);
    wake_ = nullptr;
    letters_.swap(letters);
  }
  for (Letter& letter : letters) letter.errand(nullptr);
}

}  // namespace longshore::wire
