// The view `jobs`, read as docs/postgres.md describes. tests/conformance checks that its columns
// equal the catalog, for every job of every test there.
#include <fstream>
#include <iterator>
#include <regex>

#include "postgres/fixture.h"

namespace longshore::postgres_test {
namespace {

class JobsView : public PostgresTest {
 protected:
  JobId enqueue_one(Backend& backend, const std::string& payload) {
    NewJob job{.id = ids_.next(Instant::millis(1'800'000'000'000)), .type = "work"};
    job.body.payload = payload;
    const Command command = Enqueue{.ns = "default", .jobs = {job}};
    EXPECT_TRUE(backend.store().commit({&command, 1}).ok());
    return job.id;
  }
  std::string column(const JobId& id, const std::string& expression) const {
    return sql("SELECT " + expression + " FROM @jobs WHERE id = '" + to_text(id) + "'");
  }
  // The SQLSTATE with which a statement fails; empty if it does not.
  std::string failure_of(const std::string& statement) const {
    sql("DROP TABLE IF EXISTS @failed; CREATE TABLE @failed(code text); DO $$ BEGIN " + statement +
        "; EXCEPTION WHEN OTHERS THEN INSERT INTO @failed VALUES (SQLSTATE); END $$");
    return sql("SELECT coalesce(max(code), '') FROM @failed");
  }

 private:
  SeededRandom random_{8};
  JobIds ids_{random_};
};

std::string section_of_document() {
  std::ifstream file("docs/postgres.md");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::size_t begin = text.find("## Reading the store by hand");
  EXPECT_NE(begin, std::string::npos);
  return text.substr(begin, text.find("\n## ", begin) - begin);
}

TEST_F(JobsView, RunsTheQueriesOfItsDocument) {
  const auto backend = open();
  const JobId id = enqueue_one(*backend, R"({"order": "17"})");
  const std::string role = schema_ + "_analyst";
  run_sql("CREATE ROLE " + role);
  std::string text = section_of_document();
  text = std::regex_replace(text, std::regex("longshore\\."), schema_ + ".");
  text = std::regex_replace(text, std::regex("SCHEMA longshore"), "SCHEMA " + schema_);
  text = std::regex_replace(text, std::regex("analyst"), role);
  text = std::regex_replace(text, std::regex("00000000-0000-0000-0000-000000000000"), to_text(id));
  const std::regex block("```sql\n([^`]*)```");
  std::string statements;
  for (std::sregex_iterator at(text.begin(), text.end(), block), end; at != end; ++at) {
    statements += (*at)[1].str();
  }
  const std::regex statement("[^;]+;");
  int count = 0;
  for (std::sregex_iterator at(statements.begin(), statements.end(), statement), end; at != end;
       ++at, ++count) {
    const std::string answer = run_sql(at->str());
    const bool names_it = count == 0 || at->str().find("->> 'order'") != std::string::npos;
    if (names_it) {
      EXPECT_EQ(answer, to_text(id)) << at->str();
    }
  }
  EXPECT_EQ(count, 7) << "statements of the document";
  EXPECT_EQ(sql("SET ROLE " + role + "; SELECT state FROM @jobs"), "QUEUED");
  run_sql("RESET ROLE; DROP OWNED BY " + role + "; DROP ROLE " + role);
}

TEST_F(JobsView, DescribesEveryColumn) {
  open();
  EXPECT_EQ(sql("SELECT count(*) FROM pg_attribute WHERE attrelid = '@jobs'::regclass AND "
                "attnum > 0 AND col_description(attrelid, attnum) IS NULL"),
            "0");
  EXPECT_NE(sql("SELECT obj_description('@jobs'::regclass)"), "");
  const std::string text = section_of_document();
  const std::string names =
      sql("SELECT string_agg(attname, ' ') || ' ' FROM pg_attribute "
          "WHERE attrelid = '@jobs'::regclass AND attnum > 0");
  for (std::size_t at = 0, end; (end = names.find(' ', at)) != names.npos; at = end + 1) {
    const std::string name = "`" + names.substr(at, end - at) + "`";
    EXPECT_NE(text.find(name), std::string::npos) << name << " is not in the document";
  }
}

TEST_F(JobsView, IsReadOnly) {
  const auto backend = open();
  ASSERT_TRUE(enqueue(*backend).ok());
  EXPECT_EQ(failure_of("INSERT INTO @jobs(id) VALUES (gen_random_uuid())"), "55000");
  EXPECT_EQ(failure_of("UPDATE @jobs SET queue = 'x'"), "55000");
  EXPECT_EQ(failure_of("DELETE FROM @jobs"), "55000");
  EXPECT_EQ(claim(*backend).size(), 1u);
}

TEST_F(JobsView, ShowsJsonOfAnyJob) {
  const auto backend = open();
  const JobId plain = enqueue_one(*backend, R"({"a": [1, 2]})");
  EXPECT_EQ(column(plain, "payload -> 'a' ->> 1"), "2");
  const std::string zero = R"({"a": "\u0000"})";
  const std::string huge = "1e999999";
  const std::string deep = std::string(50'000, '[') + std::string(50'000, ']');
  for (const std::string& payload : {zero, huge, deep, std::string("no JSON")}) {
    const JobId id = enqueue_one(*backend, payload);
    EXPECT_EQ(column(id, "payload IS NULL"), "t");
    EXPECT_EQ(column(id, "payload_text"), payload);
  }
  const auto leases = claim(*backend);
  ASSERT_EQ(leases.size(), 1u);
  const Command done = Complete{
      .ns = "default", .job = leases[0].job, .token = leases[0].token, .result = R"({"b": 7})"};
  ASSERT_TRUE(backend->store().commit({&done, 1}).ok());
  EXPECT_EQ(column(leases[0].job, "result ->> 'b'"), "7");
  EXPECT_EQ(sql("SELECT count(*) FROM (SELECT * FROM @jobs OFFSET 0) AS every_column"), "5");
}

TEST_F(JobsView, ShowsTextThatPostgresCannotRepresent) {
  const auto backend = open();
  ASSERT_TRUE(enqueue(*backend).ok());
  sql("UPDATE @live SET error_code = 'E', error_message = '\\x610062', job_key = '\\xff'");
  EXPECT_EQ(sql("SELECT error_message FROM @jobs"), "a\\000b");
  EXPECT_EQ(sql("SELECT job_key FROM @jobs"), "\\377");
}

TEST_F(JobsView, IgnoresPartsOfARunStateFromALaterVersion) {
  open();
  // Part 99 is a number, part 100 has three bytes; attempt is 8, and -2 is 3.
  const std::string later = "'\\x63ff01e403010203'::bytea";
  EXPECT_EQ(sql("SELECT @course_number(" + later + " || '\\x0803', 8)"), "-2");
  EXPECT_EQ(sql("SELECT @course_number('\\x080a' || " + later + ", 8)"), "5");
  // Truncated or damaged values show nothing.
  for (const char* bad : {"08", "08ff", "e4ff0102", "ff", "08ffffffffffffffffffffff01"}) {
    EXPECT_EQ(sql(std::string("SELECT @course_number('\\x") + bad + "', 8) IS NULL"), "t") << bad;
  }
}

TEST_F(JobsView, FindsOneJobThroughItsIndexes) {
  const auto backend = open();
  const JobId id = enqueue_one(*backend, "1");
  const std::string plan =
      sql("SET enable_seqscan = off; EXPLAIN (FORMAT JSON) SELECT * FROM @jobs"
          " WHERE id = '" +
          to_text(id) + "'");
  run_sql("RESET enable_seqscan");
  for (const char* index : {"live_pkey", "done_pkey", "body_pkey"}) {
    EXPECT_NE(plan.find(index), std::string::npos) << index;
  }
}

// A store of Longshore 0.1, with jobs in it.
TEST_F(JobsView, IsAddedToAnOlderStore) {
  ASSERT_TRUE(enqueue(*open()).ok());
  sql("DROP VIEW @jobs; DROP FUNCTION @course_number, @course_part, @read_double, @read_time, "
      "@read_text, @read_json, @read_names, @usual_policy; "
      "ALTER TABLE @failure DROP COLUMN fingerprint; DROP INDEX @audit_at; "
      "ALTER TABLE @store DROP COLUMN stepped_at; "
      "DELETE FROM @migration WHERE version >= 5");
  const auto plan = plan_postgres(url());
  ASSERT_TRUE(plan.ok());
  EXPECT_NE(plan->find("CREATE VIEW " + schema_ + ".jobs"), std::string::npos);
  EXPECT_EQ(plan->find("CREATE TABLE"), std::string::npos);
  const auto backend = open();
  EXPECT_EQ(sql("SELECT state FROM @jobs"), "QUEUED");
  EXPECT_EQ(claim(*backend).size(), 1u);
  EXPECT_EQ(sql("SELECT state || ' ' || attempt || ' ' || lease_owner FROM @jobs"), "RUNNING 1 w");
}

}  // namespace
}  // namespace longshore::postgres_test
