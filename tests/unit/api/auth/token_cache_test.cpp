#include "api/auth/token_cache.h"

#include <gtest/gtest.h>

#include "api/auth/token_text.h"

namespace longshore {
namespace {

TEST(TokenText, RoundTrips) {
  const TokenText token = new_token(0xAB, {1, 2, 3, 4});
  const std::string text = to_text(token);
  EXPECT_EQ(text,
            "ls_00000000000000ab_"
            "0000000000000001000000000000000200000000000000030000000000000004");
  EXPECT_EQ(parse_token(text)->id, token.id);
  EXPECT_EQ(parse_token(text)->secret, token.secret);
}

TEST(TokenText, RefusesOtherFormats) {
  const std::string text = to_text(new_token(0xAB, {1, 2, 3, 4}));
  std::string upper = text;
  upper[18] = 'B';
  std::string without_bar = text;
  without_bar[19] = '0';
  for (const std::string& wrong : {std::string(), text.substr(1), text + "0", "LS" + text.substr(2),
                                   upper, without_bar, text.substr(0, text.size() - 1) + "g"}) {
    SCOPED_TRACE(wrong);
    EXPECT_FALSE(parse_token(wrong));
  }
}

// RFC 4231, test cases 1 and 2.
TEST(KeyedHash, IsHmacSha256) {
  EXPECT_EQ(keyed_hash(std::string(20, '\x0b'), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(keyed_hash("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(keyed_hash("", "").size(), 64U);
}

TEST(SameSecret, ComparesAllOfIt) {
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_FALSE(same_secret("abc", "abd"));
  EXPECT_FALSE(same_secret("abc", "abcd"));
  EXPECT_TRUE(same_secret("", ""));
}

class TokenCacheTest : public ::testing::Test {
 protected:
  TokenRecord record(const TokenText& text) {
    return {.id = text.id, .ns = "n", .name = "ci", .role = "viewer", .hash = cache.hash(text)};
  }

  TokenCache cache{"key", "session key"};
  TokenText token = new_token(1, {1, 2, 3, 4});
  const Instant now = Instant::millis(1000);
  const Instant store_now = Instant::millis(5'000'000);
};

TEST_F(TokenCacheTest, AcceptsNothingBeforeItIsLoaded) {
  EXPECT_FALSE(cache.is_loaded());
  EXPECT_FALSE(cache.check(to_text(token), now));
  cache.refresh({}, store_now, now);
  EXPECT_TRUE(cache.is_loaded());
  EXPECT_FALSE(cache.has_any());
}

TEST_F(TokenCacheTest, AcceptsOnlyTheRightSecret) {
  cache.refresh({record(token)}, store_now, now);
  EXPECT_EQ(cache.check(to_text(token), now)->name, "ci");
  EXPECT_FALSE(cache.check(to_text(new_token(1, {1, 2, 3, 5})), now));
  EXPECT_FALSE(cache.check(to_text(new_token(2, {1, 2, 3, 4})), now));
  EXPECT_FALSE(cache.check("", now));
}

TEST_F(TokenCacheTest, RefusesTokensHashedWithAnotherKey) {
  TokenRecord other = record(token);
  other.hash = token_hash("another key", token);
  cache.refresh({other}, store_now, now);
  EXPECT_FALSE(cache.check(to_text(token), now));
}

TEST_F(TokenCacheTest, ExpiresTokensByTheStoresTime) {
  TokenRecord expiring = record(token);
  expiring.expires_at = store_now + Duration::seconds(1);
  cache.refresh({expiring}, store_now, now);
  EXPECT_TRUE(cache.check(to_text(token), now + Duration::millis(999)));
  EXPECT_FALSE(cache.check(to_text(token), now + Duration::millis(1000)));
  EXPECT_TRUE(cache.has_any()) << "an expired token must not make the server open";
}

TEST_F(TokenCacheTest, ForgetsTokensDeletedFromTheStore) {
  cache.refresh({record(token)}, store_now, now);
  const std::string session = cache.begin_session(record(token), Duration::hours(1), now);
  EXPECT_TRUE(cache.check_session(session, now));
  cache.refresh({}, store_now, now);
  EXPECT_FALSE(cache.check(to_text(token), now));
  EXPECT_FALSE(cache.check_session(session, now));
}

TEST_F(TokenCacheTest, ExpiresSessions) {
  cache.refresh({record(token)}, store_now, now);
  const std::string session = cache.begin_session(record(token), Duration::hours(1), now);
  EXPECT_TRUE(cache.check_session(session, now + Duration::minutes(59)));
  EXPECT_FALSE(cache.check_session(session, now + Duration::minutes(60)));
}

TEST_F(TokenCacheTest, EndsOneSessionEarly) {
  cache.refresh({record(token)}, store_now, now);
  const std::string ended = cache.begin_session(record(token), Duration::hours(1), now);
  const std::string other = cache.begin_session(record(token), Duration::hours(2), now);
  cache.end_session(ended, now);
  cache.end_session(ended, now);
  for (const std::string_view nonsense : {"", "a.b.c", "...."}) cache.end_session(nonsense, now);
  EXPECT_FALSE(cache.check_session(ended, now));
  EXPECT_TRUE(cache.check_session(other, now));
  // Sessions that expired meanwhile are forgotten, and stay invalid.
  cache.end_session(other, now + Duration::minutes(90));
  EXPECT_FALSE(cache.check_session(ended, now + Duration::minutes(90)));
  EXPECT_FALSE(cache.check_session(other, now + Duration::minutes(90)));
}

TEST_F(TokenCacheTest, KeepsTheEndedSessionsThatWouldLastLongest) {
  cache.refresh({record(token)}, store_now, now);
  std::vector<std::string> sessions;
  for (int i = 0; i <= 10'000; ++i) {
    sessions.push_back(
        cache.begin_session(record(token), Duration::hours(1) + Duration::millis(i), now));
    cache.end_session(sessions.back(), now);
  }
  EXPECT_TRUE(cache.check_session(sessions[0], now));
  EXPECT_FALSE(cache.check_session(sessions[1], now));
  EXPECT_FALSE(cache.check_session(sessions.back(), now));
}

// What a reader of the store knows: the records, and an empty token key.
TEST_F(TokenCacheTest, RefusesSessionsSignedWithKeysFromTheStore) {
  cache.refresh({record(token)}, store_now, now);
  TokenCache forger("key", "");
  forger.refresh({record(token)}, store_now, now);
  EXPECT_FALSE(
      cache.check_session(forger.begin_session(record(token), Duration::hours(1), now), now));
}

TEST_F(TokenCacheTest, RefusesSessionsBeyondTheMaximumDuration) {
  cache.refresh({record(token)}, store_now, now);
  const Duration most = TokenCache::session_lasts_max;
  EXPECT_TRUE(cache.check_session(cache.begin_session(record(token), most, now), now));
  EXPECT_FALSE(cache.check_session(
      cache.begin_session(record(token), most + Duration::seconds(1), now), now));
}

TEST_F(TokenCacheTest, RefusesForgedSessions) {
  cache.refresh({record(token)}, store_now, now);
  const std::string session = cache.begin_session(record(token), Duration::hours(1), now);
  const std::size_t ends = session.find('.') + 1;
  std::string longer = session;
  longer[ends] = '9';
  const std::string other_key =
      TokenCache("key", "other").begin_session(record(token), Duration::hours(1), now);
  for (const std::string& wrong : {std::string(), std::string("."), std::string(".."), longer,
                                   session + "0", session.substr(1), other_key}) {
    SCOPED_TRACE(wrong);
    EXPECT_FALSE(cache.check_session(wrong, now));
  }
}

TEST_F(TokenCacheTest, RecordsUseOnceAMinute) {
  cache.refresh({record(token)}, store_now, now);
  EXPECT_TRUE(cache.should_touch(token.id, now));
  EXPECT_FALSE(cache.should_touch(token.id, now + Duration::seconds(59)));
  EXPECT_TRUE(cache.should_touch(token.id, now + Duration::seconds(60)));
  EXPECT_FALSE(cache.should_touch(token.id, now + Duration::seconds(61)));
}

}  // namespace
}  // namespace longshore
