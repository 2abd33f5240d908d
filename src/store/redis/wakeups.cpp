#include "store/redis/wakeups.h"

#include <utility>

#include "store/redis/keys.h"

namespace longshore::redis {
namespace {

constexpr Duration listening_turn = Duration::seconds(60);

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
  start_listening();
  return here_.wait(longest);
}

void RedisWakeups::stop() { here_.stop(); }

void RedisWakeups::hint(std::set<std::string> queues) {
  if (queues.empty()) return;
  {
    MutexLock lock(mutex_);
    news_.insert(queues.begin(), queues.end());
    if (!teller_.joinable() && !closing_) teller_ = std::thread([this] { tell(); });
    changed_.notify_all();
  }
  here_.hint(std::move(queues));
}

void RedisWakeups::start_listening() {
  MutexLock lock(mutex_);
  if (listener_.joinable() || closing_) return;
  subscription_ = channel_.subscribe({name_});
  listener_ = std::thread([this, heard = subscription_.get()] { listen(*heard); });
}

void RedisWakeups::listen(Subscription& subscription) {
  for (;;) {
    for (const Message& message : subscription.wait(listening_turn)) {
      here_.hint(read_hints(message.text));
    }
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
      text = hints_text(std::exchange(news_, {}));
    }
    const std::vector<Words> calls = {{channel_.publish_word(), name_, text}};
    // Who cannot be told looks by himself, a little later.
    [[maybe_unused]] const auto told =
        channel_.exchange(Keys::shared(channel_.url().prefix).tag(), calls, false);
  }
}

}  // namespace longshore::redis
