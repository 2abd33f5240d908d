// The tokens of the store, as they were at most a second ago. Judging one asks no database.
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

// Safe to share between threads. Times named `now` are the node's own, which never goes back.
class TokenCache {
 public:
  // Tokens are stored as hashes made with `token_key`. Sessions are sealed with `session_key`,
  // which whoever can read the store must not know.
  TokenCache(std::string token_key, std::string session_key)
      : key_(std::move(token_key)), session_key_(std::move(session_key)) {}

  // What the store said, and the store's time when it said so.
  void refresh(const std::vector<TokenRecord>& tokens, Instant store_time, Instant now);

  bool is_loaded() const;
  // Also one that has expired: letting a token lapse must not open the door.
  bool has_any() const;

  // Whether there is a token of this id that has not expired.
  bool is_good(const std::string& id, Instant now) const { return find(id, now).has_value(); }
  // The token behind a text, if it is good and has not expired.
  std::optional<TokenRecord> judge(std::string_view text, Instant now) const;
  // The same for a session that begin_session started.
  std::optional<TokenRecord> judge_session(std::string_view cookie, Instant now) const;

  // A session that claims to last longer is none of ours.
  static constexpr Duration session_lasts_max = Duration::hours(12);
  // A text that stands for this token until `lasts` has passed or the token is gone. Good on every
  // node with the same session key. REQUIRES: lasts <= session_lasts_max
  std::string begin_session(const TokenRecord& token, Duration lasts, Instant now) const;
  // Whoever has a copy of the text is not let in with it any more: by this node, until it ends. Of
  // very many sessions that were ended early, those whose time is over first are forgotten.
  void end_session(std::string_view cookie, Instant now);

  // True at most once a minute for each token: its last use is worth writing down.
  bool should_touch(const std::string& id, Instant now);

  std::string hash(const TokenText& token) const { return token_hash(key_, token); }

 private:
  struct Session {
    TokenRecord token;
    Instant ends;
  };

  std::optional<TokenRecord> find(const std::string& id, Instant now) const;
  // What the text stands for, also if it was ended early; nothing once its time is over.
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
  // Sessions that were ended early, by when they would have ended.
  std::set<std::pair<Instant, std::string>> ended_ LONGSHORE_GUARDED_BY(mutex_);
  Duration offset_ LONGSHORE_GUARDED_BY(mutex_);  // from the node's time to the store's
  bool loaded_ LONGSHORE_GUARDED_BY(mutex_) = false;
};

}  // namespace longshore
