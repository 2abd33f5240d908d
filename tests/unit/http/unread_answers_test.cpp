// Clients that send requests and do not read the responses.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "unit/http/raw_client.h"
#include "unit/http/test_server.h"

namespace longshore {
namespace {

constexpr int requests = 600;
constexpr std::size_t answer_bytes = 64 * 1024;
// What the system's buffers of one connection may hold of the responses, with a margin.
constexpr int answered_unread_max = 300;

class UnreadAnswers : public ::testing::TestWithParam<const char*> {
 protected:
  // Answers at once, or from another thread.
  void handle(Exchange exchange) {
    handled += 1;
    const bool large = exchange->request().target == "/large";
    HttpResponse answer = text(200, large ? std::string(answer_bytes, 'x') : "small");
    if (GetParam() == std::string("at once")) return exchange->answer(std::move(answer));
    std::thread([exchange, answer = std::move(answer)]() mutable {
      exchange->answer(std::move(answer));
    }).detach();
  }

  std::atomic<int> handled = 0;
};
INSTANTIATE_TEST_SUITE_P(, UnreadAnswers, ::testing::Values("at once", "elsewhere"),
                         [](const auto& one) {
                           return one.param == std::string("at once") ? "at_once" : "elsewhere";
                         });

TEST_P(UnreadAnswers, StopTheReadingOfFurtherRequests) {
  TestServer server([this](Exchange exchange) { handle(std::move(exchange)); }, {}, 1);
  RawClient greedy(server.port());
  std::string pipeline;
  for (int i = 0; i < requests; ++i) pipeline += "GET /large HTTP/1.1\r\nHost: h\r\n\r\n";
  ASSERT_TRUE(greedy.send(pipeline));
  // The server has one thread: after so many answers to another client, it has read all it will.
  RawClient patient(server.port());
  for (int i = 0; i < requests; ++i) {
    patient.send(good_request);
    ASSERT_TRUE(patient.receive());
  }
  EXPECT_LT(handled - requests, answered_unread_max) << "responses accumulate in memory";
  for (int i = 0; i < requests; ++i) {
    const auto answer = greedy.receive();
    ASSERT_TRUE(answer) << "after " << i << " answers";
    ASSERT_EQ(answer->body.size(), answer_bytes);
  }
  EXPECT_EQ(handled, 2 * requests);
}

}  // namespace
}  // namespace longshore
