// The tokens of the store, at most a second old. Checking a token does not read the store.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/auth/token_text.h"
#include "core/sync/mutex.h"
#include "longshore/command.h"
#include "longshore/time.h"

namespace longshore {

// Safe to share between threads. Times named `now` are the node's monotonic time.
class TokenCache {
 public:
  // Tokens are stored as hashes keyed with `token_key`. Sessions are signed with `session_key`,
  // which must not be readable in the store.
  TokenCache(std::string token_key, std::string session_key)
      : key_(std::move(token_key)), session_key_(std::move(session_key)) {}

  // The tokens of the store, and the store's time when they were read.
  void refresh(const std::vector<TokenRecord>& tokens, Instant store_time, Instant now);

  bool is_loaded() const;
  // Expired ones included: an expired token must not make the server open.
  bool has_any() const;

  // Whether there is an unexpired token of this id.
  bool is_good(const std::string& id, Instant now) const { return find(id, now).has_value(); }
  // The token of a text, if it is valid and has not expired.
  std::optional<TokenRecord> check(std::string_view text, Instant now) const;
  // The same for a session that begin_session started.
  std::optional<TokenRecord> check_session(std::string_view cookie, Instant now) const;

  // A session with a later end is refused.
  static constexpr Duration session_lasts_max = Duration::hours(12);
  // A session of this token: valid until `lasts` has passed or the token is revoked, on every node
  // with the same session key. REQUIRES: lasts <= session_lasts_max
  std::string begin_session(const TokenRecord& token, Duration lasts, Instant now) const;
  // Revokes a session on this node. If very many were revoked, those that expire first are
  // forgotten.
  void end_session(std::string_view cookie, Instant now);

  // True at most once a minute for each token: its last use should be stored.
  bool should_touch(const std::string& id, Instant now);

  std::string hash(const TokenText& token) const { return token_hash(key_, token); }

 private:
  struct Session {
    TokenRecord token;
    Instant ends;
  };

  std::optional<TokenRecord> find(const std::string& id, Instant now) const;
  // The session of a text, even if it was revoked; nothing after its end.
  std::optional<Session> read_session(std::string_view cookie, Instant now) const;
  Instant store_time(Instant now) const;
  std::string seal(const TokenRecord& token, std::string_view ends) const;

  // Constant after construction.
  const std::string key_;
  const std::string session_key_;

  mutable Mutex mutex_;
  // Guarded by mutex_.
  std::unordered_map<std::string, TokenRecord> tokens_ LONGSHORE_GUARDED_BY(mutex_);
  std::unordered_map<std::string, Instant> touched_ LONGSHORE_GUARDED_BY(mutex_);
  // Revoked sessions, by their end.
  std::set<std::pair<Instant, std::string>> ended_ LONGSHORE_GUARDED_BY(mutex_);
  Duration offset_ LONGSHORE_GUARDED_BY(mutex_);  // from the node's time to the store's
  bool loaded_ LONGSHORE_GUARDED_BY(mutex_) = false;
};

}  // namespace longshore
