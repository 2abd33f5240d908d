#include "store/redis/wakeups.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "store/redis/keys.h"

namespace longshore::redis {
namespace {

// The library adds the wait to its clock, which must not overflow.
constexpr Duration patience_max = Duration::days(1);
constexpr Duration listening_turn = Duration::seconds(60);
constexpr std::size_t text_max = 7'000;

}  // namespace

RedisWakeups::RedisWakeups(Channel& channel)
    : channel_(channel), name_(Keys::shared(channel.url().prefix).one("hints")) {}

RedisWakeups::~RedisWakeups() {
  stop();
  std::thread listener, teller;
  {
    MutexLock lock(mutex_);
    closing_ = true;
    if (subscription_) subscription_->stop();
    listener = std::move(listener_);
    teller = std::move(teller_);
    changed_.notify_all();
  }
  if (listener.joinable()) listener.join();
  if (teller.joinable()) teller.join();
}

std::vector<std::string> RedisWakeups::wait(Duration longest) {
  const Duration patience = std::clamp(longest, Duration(), patience_max);
  start_listening();
  MutexLock lock(mutex_);
  // The predicate runs with the mutex held; the checker cannot see that.
  changed_.wait_for(mutex_, std::chrono::milliseconds(patience.count()), [this] {
    mutex_.assert_held();
    return stopped_ || !hints_.empty();
  });
  const std::set<std::string> hints = std::exchange(hints_, {});
  return {hints.begin(), hints.end()};
}

void RedisWakeups::stop() {
  MutexLock lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

void RedisWakeups::hint(std::set<std::string> queues) {
  if (queues.empty()) return;
  MutexLock lock(mutex_);
  news_.insert(queues.begin(), queues.end());
  hints_.merge(queues);
  if (hints_.size() > hints_kept) hints_ = {"*"};
  if (!teller_.joinable() && !closing_) teller_ = std::thread([this] { tell(); });
  changed_.notify_all();
}

void RedisWakeups::start_listening() {
  MutexLock lock(mutex_);
  if (listener_.joinable() || closing_) return;
  subscription_ = channel_.subscribe({name_});
  listener_ = std::thread([this, heard = subscription_.get()] { listen(*heard); });
}

void RedisWakeups::listen(Subscription& subscription) {
  for (;;) {
    for (const Message& message : subscription.wait(listening_turn)) hear(message.text);
    MutexLock lock(mutex_);
    if (closing_) return;
  }
}

// What comes while others are told is told together.
void RedisWakeups::tell() {
  for (;;) {
    std::string text;
    {
      MutexLock lock(mutex_);
      changed_.wait(mutex_, [this] {
        mutex_.assert_held();
        return closing_ || !news_.empty();
      });
      if (closing_) return;
      for (const std::string& queue : std::exchange(news_, {})) {
        text += (text.empty() ? "" : "\n") + queue;
      }
    }
    if (text.size() > text_max) text = "*";
    const std::vector<Words> calls = {{channel_.publish_word(), name_, text}};
    // Who cannot be told looks by himself, a little later.
    [[maybe_unused]] const auto told =
        channel_.exchange(Keys::shared(channel_.url().prefix).tag(), calls, false);
  }
}

void RedisWakeups::hear(std::string_view text) {
  MutexLock lock(mutex_);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    hints_.emplace(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (hints_.size() > hints_kept) hints_ = {"*"};
  changed_.notify_all();
}

}  // namespace longshore::redis
