#include "unit/store_sqlite/sqlite_test.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "core/assert.h"
#include "store/sqlite/file/connection.h"

namespace longshore {

namespace {

// In memory where the machine offers it: what these tests ask is not whether a disk keeps its
// word, and a sync that costs nothing makes them quick.
std::filesystem::path quickest_directory() {
  const std::filesystem::path memory = "/dev/shm";
  return std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
}

}  // namespace

Scratch::Scratch() : path_((quickest_directory() / "longshore-XXXXXX").string()) {
  LONGSHORE_ASSERT(::mkdtemp(path_.data()) != nullptr,
                   "tests may write to the temporary directory");
}

Scratch::~Scratch() { std::filesystem::remove_all(path_); }

void SqliteTest::open(const Rules& rules) {
  close();
  Opened opened = try_open(rules);
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  backend_ = std::move(*opened);
}

Committed SqliteTest::commit(const std::vector<Command>& commands) {
  auto committed = backend_->store().commit(commands);
  if (committed) return std::move(*committed);
  ADD_FAILURE() << committed.error().message;
  return {.verdicts = std::vector<Verdict>(commands.size())};
}

Verdict SqliteTest::send(const Command& command) { return commit({command}).verdicts.at(0); }

NewJob SqliteTest::job(NewJob wish) {
  if (wish.id == JobId{}) wish.id = ids_.next(clock_.now());
  if (wish.type.empty()) wish.type = "work";
  if (wish.body.payload.empty()) wish.body.payload = R"({"n":1})";
  return wish;
}

JobId SqliteTest::enqueue(NewJob wish) {
  const NewJob wanted = job(std::move(wish));
  const Verdict verdict = send(Enqueue{.ns = "default", .jobs = {wanted}});
  EXPECT_TRUE(std::holds_alternative<Enqueued>(verdict));
  return wanted.id;
}

std::vector<Lease> SqliteTest::claim(int limit) {
  const Verdict verdict =
      send(Claim{.id = request(), .ns = "default", .worker = "alice", .limit = limit});
  const auto* leased = std::get_if<Leased>(&verdict);
  EXPECT_NE(leased, nullptr);
  return leased == nullptr ? std::vector<Lease>() : leased->leases;
}

void SqliteTest::complete(const Lease& lease) {
  const Verdict verdict = send(Complete{.ns = "default", .job = lease.job, .token = lease.token});
  EXPECT_TRUE(std::holds_alternative<Settled>(verdict));
}

std::vector<std::string> SqliteTest::findings() {
  const auto audit = catalog().audit();
  if (!audit) return {audit.error().message};
  std::vector<std::string> rules;
  for (const Finding& finding : audit->findings) rules.push_back(finding.rule);
  return rules;
}

std::vector<JobRecord> SqliteTest::dump() {
  std::vector<JobRecord> records;
  const auto walked = catalog().each([&](const JobRecord& record) {
    records.push_back(record);
    return true;
  });
  EXPECT_TRUE(walked.ok());
  return records;
}

void SqliteTest::damage(const std::string& sql) {
  auto database = sqlite::Database::open(options_.path, "", sqlite::Database::Access::write);
  ASSERT_TRUE(database.ok());
  EXPECT_TRUE((*database)->execute(sql.c_str())) << (*database)->what();
}

}  // namespace longshore
