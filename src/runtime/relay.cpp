#include "runtime/relay.h"

#include <iterator>
#include <utility>

namespace longshore {
namespace {

// How many threads are woken at once.
constexpr int woken_at_once = 2;

thread_local Relay::Gathering* gathering = nullptr;

}  // namespace

Relay::Gathering::Gathering(Relay& relay) : relay_(relay) { gathering = this; }

Relay::Gathering::~Gathering() {
  gathering = nullptr;
  for (Call& call : calls_) call();
  if (!sleepers_.empty()) relay_.hand_over(std::move(sleepers_));
}

void Relay::announce(Sleeper sleeper) {
  if (gathering != nullptr && &gathering->relay_ == this) {
    gathering->sleepers_.push_back(std::move(sleeper));
  } else {
    sleeper->set();
  }
}

void Relay::announce(Call call) {
  if (gathering != nullptr && &gathering->relay_ == this) {
    gathering->calls_.push_back(std::move(call));
  } else {
    call();
  }
}

void Relay::pass_on() {
  Sleeper next;
  {
    MutexLock lock(mutex_);
    if (waiting_.empty()) return;
    next = std::move(waiting_.front());
    waiting_.pop_front();
  }
  next->set();
}

void Relay::wake_all() {
  std::deque<Sleeper> rest;
  {
    MutexLock lock(mutex_);
    if (waiting_.empty()) return;
    rest.swap(waiting_);
  }
  for (const Sleeper& sleeper : rest) sleeper->set();
}

void Relay::hand_over(std::vector<Sleeper> gathered) {
  std::deque<Sleeper> rest;
  {
    MutexLock lock(mutex_);
    rest.swap(waiting_);
    waiting_.assign(std::move_iterator(gathered.begin()), std::move_iterator(gathered.end()));
  }
  for (const Sleeper& sleeper : rest) sleeper->set();
  for (int i = 0; i < woken_at_once; ++i) pass_on();
}

}  // namespace longshore
