// How states, statuses, causes and codes are spelled on the wire.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "longshore/code.h"
#include "longshore/job.h"

namespace longshore {
namespace {

TEST(Words, TellEachStateAndWhatThePublicSees) {
  struct Case {
    State state;
    std::string_view word;
    std::string_view status;
    bool terminal;
  };
  const Case cases[] = {
      {State::created, "CREATED", "PENDING", false},
      {State::scheduled, "SCHEDULED", "PENDING", false},
      {State::queued, "QUEUED", "PENDING", false},
      {State::running, "RUNNING", "RUNNING", false},
      {State::waiting, "WAITING", "RUNNING", false},
      {State::retry, "RETRY", "PENDING", false},
      {State::success, "SUCCESS", "COMPLETED", true},
      {State::dead, "DEAD", "FAILED", true},
      {State::canceled, "CANCELED", "CANCELED", true},
  };
  EXPECT_EQ(std::size(cases), static_cast<std::size_t>(state_count));
  for (const Case& c : cases) {
    SCOPED_TRACE(c.word);
    EXPECT_EQ(to_text(c.state), c.word);
    EXPECT_EQ(parse_state(c.word), c.state);
    EXPECT_EQ(to_text(status_of(c.state)), c.status);
    EXPECT_EQ(is_terminal(c.state), c.terminal);
  }
}

TEST(Words, ReadBackEachCause) {
  std::set<std::string_view> words;
  for (int i = 0; i < cause_count; ++i) {
    const auto cause = static_cast<Cause>(i);
    words.insert(to_text(cause));
    EXPECT_EQ(parse_cause(to_text(cause)), cause);
  }
  EXPECT_EQ(std::ssize(words), cause_count) << "two causes share a word";
  EXPECT_EQ(to_text(Cause::hand_off), "handOff");
  EXPECT_EQ(to_text(Cause::lease_lost), "leaseLost");
  EXPECT_EQ(to_text(Cause::limit_exceeded), "limitExceeded");
}

TEST(Words, AreReadExactlyAsWritten) {
  for (std::string_view text : {"", "queued", "Queued", "QUEUED ", "READY", "-"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(parse_state(text), std::nullopt);
    EXPECT_EQ(parse_cause(text), std::nullopt);
  }
}

TEST(Words, SpellCodesInCapitals) {
  struct Case {
    Code code;
    std::string_view word;
  };
  const Case cases[] = {
      {Code::invalid_json, "INVALID_JSON"},
      {Code::bad_request, "BAD_REQUEST"},
      {Code::unauthenticated, "UNAUTHENTICATED"},
      {Code::forbidden, "FORBIDDEN"},
      {Code::not_found, "NOT_FOUND"},
      {Code::method_not_allowed, "METHOD_NOT_ALLOWED"},
      {Code::request_timeout, "REQUEST_TIMEOUT"},
      {Code::key_in_use, "KEY_IN_USE"},
      {Code::id_in_use, "ID_IN_USE"},
      {Code::lease_lost, "LEASE_LOST"},
      {Code::already_settled, "ALREADY_SETTLED"},
      {Code::wrong_state, "WRONG_STATE"},
      {Code::terminal, "TERMINAL"},
      {Code::not_in_profile, "NOT_IN_PROFILE"},
      {Code::old_revision, "OLD_REVISION"},
      {Code::job_failed, "JOB_FAILED"},
      {Code::job_canceled, "JOB_CANCELED"},
      {Code::too_large, "TOO_LARGE"},
      {Code::uri_too_long, "URI_TOO_LONG"},
      {Code::unsupported_media_type, "UNSUPPORTED_MEDIA_TYPE"},
      {Code::invalid_field, "INVALID_FIELD"},
      {Code::unknown_field, "UNKNOWN_FIELD"},
      {Code::idempotency_mismatch, "IDEMPOTENCY_MISMATCH"},
      {Code::overloaded, "OVERLOADED"},
      {Code::headers_too_large, "HEADERS_TOO_LARGE"},
      {Code::internal, "INTERNAL"},
      {Code::store_unavailable, "STORE_UNAVAILABLE"},
      {Code::http_version, "HTTP_VERSION"},
      {Code::disk_full, "DISK_FULL"},
  };
  EXPECT_EQ(std::size(cases), static_cast<std::size_t>(Code::disk_full) + 1);
  for (const Case& c : cases) EXPECT_EQ(to_text(c.code), c.word);
}

}  // namespace
}  // namespace longshore
