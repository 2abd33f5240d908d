#include "api/auth/token_cache.h"

#include <charconv>

namespace longshore {
namespace {

constexpr Duration touch_every = Duration::minutes(1);
constexpr std::size_t ended_sessions_max = 10'000;

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

void TokenCache::refresh(const std::vector<TokenRecord>& tokens, Instant store_time, Instant now) {
  MutexLock lock(mutex_);
  tokens_.clear();
  for (const TokenRecord& token : tokens) tokens_[token.id] = token;
  std::erase_if(touched_, [&](const auto& entry) { return !tokens_.contains(entry.first); });
  offset_ = store_time - now;
  loaded_ = true;
}

bool TokenCache::is_loaded() const {
  MutexLock lock(mutex_);
  return loaded_;
}

bool TokenCache::has_any() const {
  MutexLock lock(mutex_);
  return !tokens_.empty();
}

Instant TokenCache::store_time(Instant now) const {
  mutex_.assert_held();
  return now + offset_;
}

std::optional<TokenRecord> TokenCache::find(const std::string& id, Instant now) const {
  MutexLock lock(mutex_);
  const auto found = tokens_.find(id);
  if (found == tokens_.end()) return std::nullopt;
  if (found->second.expires_at && *found->second.expires_at <= store_time(now)) return std::nullopt;
  return found->second;
}

std::optional<TokenRecord> TokenCache::check(std::string_view text, Instant now) const {
  const std::optional<TokenText> token = parse_token(text);
  if (!token) return std::nullopt;
  const std::string hash = token_hash(key_, *token);
  std::optional<TokenRecord> record = find(token->id, now);
  if (!record || !same_secret(record->hash, hash)) return std::nullopt;
  return record;
}

// Contains the stored hash, so that a session ends with its token even if the id is reused.
std::string TokenCache::seal(const TokenRecord& token, std::string_view ends) const {
  std::string text = "session\n" + token.id + "\n" + token.hash + "\n";
  text += ends;
  return keyed_hash(session_key_, text);
}

std::string TokenCache::begin_session(const TokenRecord& token, Duration lasts, Instant now) const {
  std::string ends;
  {
    MutexLock lock(mutex_);
    ends = std::to_string((store_time(now) + lasts).count());
  }
  return token.id + "." + ends + "." + seal(token, ends);
}

std::optional<TokenCache::Session> TokenCache::read_session(std::string_view cookie,
                                                            Instant now) const {
  const std::size_t first = cookie.find('.');
  const std::size_t second = first == std::string_view::npos ? first : cookie.find('.', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const std::string_view ends = cookie.substr(first + 1, second - first - 1);
  const std::optional<std::int64_t> millis = whole_number(ends);
  std::optional<TokenRecord> token = find(std::string(cookie.substr(0, first)), now);
  if (!token || !millis || !same_secret(seal(*token, ends), cookie.substr(second + 1))) {
    return std::nullopt;
  }
  MutexLock lock(mutex_);
  const Duration left = Instant::millis(*millis) - store_time(now);
  if (left <= Duration() || left > session_lasts_max) return std::nullopt;
  return Session{.token = std::move(*token), .ends = Instant::millis(*millis)};
}

std::optional<TokenRecord> TokenCache::check_session(std::string_view cookie, Instant now) const {
  std::optional<Session> session = read_session(cookie, now);
  if (!session) return std::nullopt;
  MutexLock lock(mutex_);
  if (ended_.contains({session->ends, std::string(cookie)})) return std::nullopt;
  return std::move(session->token);
}

void TokenCache::end_session(std::string_view cookie, Instant now) {
  const std::optional<Session> session = read_session(cookie, now);
  if (!session) return;
  MutexLock lock(mutex_);
  ended_.emplace(session->ends, cookie);
  while (ended_.begin()->first <= store_time(now) || ended_.size() > ended_sessions_max) {
    ended_.erase(ended_.begin());
  }
}

bool TokenCache::should_touch(const std::string& id, Instant now) {
  MutexLock lock(mutex_);
  const auto [touched, is_new] = touched_.try_emplace(id, now);
  if (is_new) return true;
  if (touched->second + touch_every > now) return false;
  touched->second = now;
  return true;
}

}  // namespace longshore
