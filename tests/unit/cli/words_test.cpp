// Parsing and formatting of commands, without a server.
#include <gtest/gtest.h>

#include <sstream>

#include "cli/advice.h"
#include "cli/client/batch.h"
#include "cli/client/filter.h"
#include "cli/doctor/diagnosis.h"
#include "cli/terminal/figures.h"
#include "cli/terminal/progress.h"

namespace longshore {
namespace {

TEST(Figures, AreFormattedForPeople) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(1000), "1,000");
  EXPECT_EQ(count_text(-1234567), "-1,234,567");
  EXPECT_EQ(rate_text(0.25), "0.2/s");
  EXPECT_EQ(rate_text(12345.6), "12,346/s");
  EXPECT_EQ(bytes_text(512), "512 bytes");
  EXPECT_EQ(bytes_text(1536ULL * 1024 * 1024), "1.5 GiB");
  EXPECT_EQ(age_text(Duration::millis(350)), "350ms");
  EXPECT_EQ(age_text(Duration::minutes(5)), "5m");
  EXPECT_EQ(age_text(Duration::days(9)), "9d");
  EXPECT_EQ(jobs_text(1), "1 job");
}

TEST(Progress, ShowsRateAndRemainingTime) {
  Progress progress("enqueued", 1000);
  progress.advance(250);
  EXPECT_EQ(progress.line(Duration::seconds(5)), "enqueued 250 of 1,000 (25%), 50/s, 15s left");
  progress.advance(750);
  EXPECT_EQ(progress.line(Duration::seconds(10)), "enqueued 1,000 of 1,000 (100%), 100/s, 10s");
  Progress endless("drained", std::nullopt);
  endless.advance(10);
  EXPECT_EQ(endless.line(Duration::seconds(1)), "drained 10, 10/s, 1s");
}

TEST(Batch, SplitsLinesIntoParts) {
  std::ostringstream text;
  for (int i = 0; i < 1500; ++i) text << "{\"payload\":" << i << "}\n\n";
  std::istringstream in(text.str());
  BatchReader reader(in, "T");
  auto first = reader.next();
  ASSERT_TRUE(first && *first);
  EXPECT_EQ((*first)->jobs, 1000);
  EXPECT_EQ((*first)->lines[1], 3);
  EXPECT_TRUE((*first)->body.starts_with("{\"jobs\":[{\"jobType\":\"T\",\"payload\":0},"));
  auto second = reader.next();
  ASSERT_TRUE(second && *second);
  EXPECT_EQ((*second)->jobs, 500);
  auto end = reader.next();
  ASSERT_TRUE(end);
  EXPECT_FALSE(*end);
}

TEST(Batch, KeepsALineThatDoesNotFitForTheNextPart) {
  const std::string large =
      "{\"jobType\":\"A\",\"payload\":\"" + std::string(5'000'000, 'x') + "\"}";
  std::istringstream in(large + "\n" + large + "\n{}\n");
  BatchReader reader(in, "");
  for (const std::int64_t line : {1, 2}) {
    auto part = reader.next();
    ASSERT_TRUE(part && *part);
    EXPECT_EQ((*part)->lines.front(), line);
  }
}

TEST(Batch, NamesTheLineThatIsNotAnObject) {
  std::istringstream in("{}\n[1]\n");
  BatchReader reader(in, "T");
  auto part = reader.next();
  ASSERT_FALSE(part);
  EXPECT_NE(part.error().message.find("line 2 is not a JSON object"), std::string::npos);
}

TEST(Filter, IsFormattedAsAQueryAndAsJson) {
  Invocation invocation;
  invocation.flags["--queue"] = {"a b&c"};
  invocation.flags["--created-after"] = {"2026-11-15T02:22:00+02:00"};
  const Result<Filter> filter = read_filter(invocation);
  ASSERT_TRUE(filter);
  EXPECT_EQ(filter->query(), "queue=a%20b%26c&createdAfter=2026-11-15T00%3A22%3A00.000Z");
  EXPECT_EQ(filter->json(), R"({"queue":"a b&c","createdAfter":"2026-11-15T00:22:00.000Z"})");
  invocation.flags["--created-after"] = {"noon"};
  EXPECT_FALSE(read_filter(invocation));
}

TEST(Advice, MatchesWordsInAnyCaseAndSuggestsTheNearest) {
  const std::vector<std::string_view> words = {"QUEUED", "DEAD"};
  EXPECT_EQ(known_word("--state", "queued", words).value(), "QUEUED");
  const auto typo = known_word("--state", "quued", words);
  ASSERT_FALSE(typo);
  EXPECT_NE(typo.error().message.find("did you mean QUEUED?"), std::string::npos);
  EXPECT_EQ(command_of({"queues", "pause", "q"})->name, "queues pause");
  EXPECT_EQ(command_of({"queues"})->name, "queues");
  EXPECT_EQ(command_of({"nothing"}), nullptr);
}

TEST(Doctor, ComparesWithLimits) {
  using Level = Diagnosis::Level;
  constexpr std::uint64_t gib = 1024ULL * 1024 * 1024;
  EXPECT_EQ(diagnose_space("d", gib / 100, 100 * gib).level, Level::problem);
  EXPECT_EQ(diagnose_space("d", 2 * gib, 100 * gib).level, Level::warning);
  EXPECT_EQ(diagnose_space("d", 50 * gib, 100 * gib).level, Level::good);
  EXPECT_EQ(diagnose_descriptors(1024, 20'000).level, Level::warning);
  EXPECT_EQ(diagnose_descriptors(32'768, 20'000).level, Level::good);
  EXPECT_EQ(diagnose_clocks(Duration::seconds(-1), Duration::seconds(1)).level, Level::good);
  EXPECT_EQ(diagnose_clocks(Duration::seconds(5), Duration::seconds(6)).level, Level::warning);
  EXPECT_NE(diagnose_clocks(Duration::seconds(-9), Duration::seconds(-8)).what.find("8s behind"),
            std::string::npos);
}

TEST(Doctor, DistinguishesProxyNetworksFromLargeNetworks) {
  const auto wide = [](std::string_view text) { return is_wide(parse_network(text).value()); };
  for (const char* text : {"0.0.0.0/0", "::/0", "128.0.0.0/1", "8.0.0.0/8", "2a00::/16"}) {
    EXPECT_TRUE(wide(text)) << text;
  }
  for (const char* text : {"127.0.0.1", "10.0.0.0/8", "8.8.8.0/24", "fd00::/8", "2a00:1450::/48"}) {
    EXPECT_FALSE(wide(text)) << text;
  }
}

}  // namespace
}  // namespace longshore
