#include "store/postgres/connection/url.h"

#include <gtest/gtest.h>

namespace longshore::postgres {
namespace {

TEST(PostgresUrl, LeavesToLibpqWhatIsNotLongshores) {
  const auto target = parse_url(
      "postgres://ann:secret@db.example:5433/jobs?sslmode=verify-full&schema=harbour"
      "&lanes=8&prepare=off&listen=off&connect_timeout=9&durability=B");
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->conninfo,
            "postgres://ann:secret@db.example:5433/jobs?sslmode=verify-full&connect_timeout=9");
  EXPECT_EQ(target->schema, "harbour");
  EXPECT_EQ(target->lanes, 8);
  EXPECT_FALSE(target->prepare);
  EXPECT_FALSE(target->listen);
  EXPECT_EQ(target->accepted, Durability::b);
}

TEST(PostgresUrl, HasDefaults) {
  const auto target = parse_url("postgresql:///jobs");
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->conninfo, "postgresql:///jobs");
  EXPECT_EQ(target->schema, "longshore");
  EXPECT_GE(target->lanes, 2);
  EXPECT_TRUE(target->prepare);
  EXPECT_TRUE(target->listen);
  EXPECT_EQ(target->accepted, std::nullopt);
}

TEST(PostgresUrl, ShowsNeitherUserNorPasswordNorOptions) {
  const auto target = parse_url("postgres://ann:s3cret@db/jobs?password=s3cret");
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->shown, "postgres://db/jobs");
}

TEST(PostgresUrl, RefusesWhatMakesNoSenseWithoutShowingASecret) {
  for (const std::string bad :
       {"postgres:jobs", "mysql://ann:s3cret@db/jobs", "postgres://ann:s3cret@db/jobs?lanes=1",
        "postgres://ann:s3cret@db/jobs?lanes=many", "postgres://ann:s3cret@db/jobs?prepare=maybe",
        "postgres://ann:s3cret@db/jobs?schema=Robert'); DROP", "postgres://db/jobs?schema=pg_x",
        "postgres://db/jobs?schema=9x", "postgres://db/jobs?durability=D"}) {
    SCOPED_TRACE(bad);
    const auto target = parse_url(bad);
    ASSERT_FALSE(target.ok());
    EXPECT_EQ(target.error().code, Errc::invalid);
    EXPECT_EQ(target.error().message.find("s3cret"), std::string::npos);
  }
}

}  // namespace
}  // namespace longshore::postgres
