#include "http/outbox.h"

#include <gtest/gtest.h>

namespace longshore::wire {
namespace {

// The data to send, and the number of its parts.
std::string all_of(const Outbox& outbox, int& parts) {
  iovec vectors[100];
  parts = outbox.gather(vectors, 100);
  std::string text;
  for (int n = 0; n < parts; ++n) {
    text.append(static_cast<const char*>(vectors[n].iov_base), vectors[n].iov_len);
  }
  return text;
}

TEST(Outbox, MergesSmallPiecesAndDoesNotCopyLargeOnes) {
  Outbox outbox;
  EXPECT_TRUE(outbox.empty());
  outbox.tail().append("head ");
  outbox.add("body ");
  outbox.tail().append("head ");
  outbox.add(std::string(100'000, 'x'));
  outbox.tail().append("tail");
  int parts = 0;
  const std::string text = all_of(outbox, parts);
  EXPECT_EQ(text, "head body head " + std::string(100'000, 'x') + "tail");
  EXPECT_EQ(parts, 3);
  EXPECT_EQ(outbox.bytes(), text.size());
}

TEST(Outbox, RemovesSentBytesAcrossPieces) {
  for (const std::size_t step : {1, 7, 4096, 200'000}) {
    SCOPED_TRACE(step);
    Outbox outbox;
    outbox.add("small");
    outbox.add(std::string(20'000, 'x'));
    outbox.add("small");
    std::string sent;
    while (!outbox.empty()) {
      int parts = 0;
      const std::string piece = all_of(outbox, parts).substr(0, step);
      sent += piece;
      outbox.sent(piece.size());
    }
    EXPECT_EQ(sent, "small" + std::string(20'000, 'x') + "small");
  }
}

TEST(Outbox, CallsBackWhenEverythingAddedSoFarIsSent) {
  Outbox outbox;
  std::string told;
  outbox.add("12345");
  outbox.when_written([&](bool whole) { told += whole ? "a" : "!"; });
  outbox.add("678");
  outbox.when_written([&](bool whole) { told += whole ? "b" : "!"; });
  outbox.when_written({});
  outbox.add("9");
  outbox.when_written([&](bool whole) { told += whole ? "c" : "!"; });
  outbox.sent(4);
  EXPECT_EQ(told, "");
  outbox.sent(1);
  EXPECT_EQ(told, "a");
  outbox.sent(3);
  EXPECT_EQ(told, "ab");
  outbox.drop();
  EXPECT_EQ(told, "ab!");
  EXPECT_TRUE(outbox.empty());
}

}  // namespace
}  // namespace longshore::wire
