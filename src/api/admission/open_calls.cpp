#include "api/admission/open_calls.h"

#include <utility>
#include <vector>

namespace longshore {

OpenCalls::RegistrationRef OpenCalls::add(const std::string& token, std::function<void()> end) {
  MutexLock lock(mutex_);
  const Number number = next_++;
  entries_[number] = {token, std::move(end)};
  return std::make_shared<Registration>(*this, number);
}

void OpenCalls::remove(Number number) {
  Entry removed;  // destroyed without the lock: it may hold the last reference to its call
  MutexLock lock(mutex_);
  const auto found = entries_.find(number);
  if (found == entries_.end()) return;
  removed = std::move(found->second);
  entries_.erase(found);
}

void OpenCalls::end_those_of(const std::function<bool(const std::string& token)>& is_gone) {
  std::vector<std::function<void()>> ends;
  {
    MutexLock lock(mutex_);
    std::map<std::string, bool> asked;
    for (auto& [number, entry] : entries_) {
      const auto [known, is_new] = asked.try_emplace(entry.token);
      if (is_new) known->second = is_gone(entry.token);
      if (known->second && entry.end) ends.push_back(std::exchange(entry.end, nullptr));
    }
  }
  for (const std::function<void()>& end : ends) end();
}

Problem token_is_gone() {
  return {.code = Code::unauthenticated,
          .detail = "The token of this request was revoked or has expired",
          .headers = {{"WWW-Authenticate", "Bearer"}}};
}

}  // namespace longshore
