// The named fields of a job's HASH, read as docs/redis.md describes. tests/conformance checks that
// they equal the catalog, for every job of every test there.
#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>

#include "redis/store_fixture.h"

namespace longshore::redis_test {
namespace {

class RedisNames : public RedisStore {
 protected:
  // A node that writes no names, like Longshore 0.1.
  std::unique_ptr<Backend> open_older() {
    auto opened = open_redis({.url = url_, .clock = &clock_, .names = false}, Rules());
    EXPECT_TRUE(opened.ok());
    return std::move(*opened);
  }
  // "QUEUED work default 0 1800000000000"
  std::string names(const JobId& id) {
    std::string text;
    const redis::Words call = {"HMGET", keys().job(id), "state", "type",
                               "queue", "attempt",      "run_at"};
    for (const redis::Reply& value : ask(call).items) {
      text += (text.empty() ? "" : " ") + (value.is_nil() ? "-" : value.text);
    }
    return text;
  }
  Lease claim_with(Backend& backend) {
    const Verdict verdict =
        send(backend, Claim{.id = random_id<RequestId>(random_), .ns = "default", .worker = "w"});
    return std::get<Leased>(verdict).leases.at(0);
  }
};

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

// The output of a shell command; empty if it fails.
std::string printed_by(const std::string& command) {
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  const int status = ::pclose(pipe);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : "";
}

std::vector<std::string> commands_of_document() {
  std::ifstream file("docs/redis.md");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::size_t begin = text.find("## Reading the store by hand");
  EXPECT_NE(begin, text.npos);
  std::istringstream section(text.substr(begin, text.find("\n## ", begin) - begin));
  std::vector<std::string> commands;
  for (std::string line; std::getline(section, line);) {
    if (line.starts_with("redis-cli ")) commands.push_back(line);
  }
  return commands;
}

TEST_F(RedisNames, MatchTheCommandsOfTheDocument) {
  const auto url = redis::parse_url(url_);
  const JobId running = enqueue({.id = ids_.next(start), .type = "mail", .body = {.payload = "1"}});
  ASSERT_EQ(claim(1).size(), 1u);
  const JobId queued =
      enqueue({.id = ids_.next(start), .type = "mail", .body = {.payload = "[7]"}});
  const JobId later = enqueue(Duration::seconds(60));
  std::string all;
  const auto commands = commands_of_document();
  EXPECT_EQ(commands.size(), 8u);
  for (std::string command : commands) {
    SCOPED_TRACE(command);
    const std::string port = std::to_string(url->hosts.at(0).port);
    replace_all(command, "redis-cli ",
                "redis-cli -h " + url->hosts.at(0).host + " -p " + port + " ");
    replace_all(command, "longshore:", url->prefix + ":");
    replace_all(command, "job:ID", "job:" + to_text(queued));
    const std::string printed = printed_by(command);
    EXPECT_EQ(printed.find("ERR"), printed.npos) << printed;
    all += printed;
  }
  for (const std::string& expected : {std::string("state\nQUEUED\n"),
                                      std::string("QUEUED\nmail\ndefault\n0\n1800000000000\n[7]\n"),
                                      std::string("q/default/3\n1\n"), to_text(queued) + ":",
                                      to_text(running) + "\n", to_text(later) + "\n"}) {
    EXPECT_NE(all.find(expected), all.npos) << expected << "in\n" << all;
  }
}

TEST_F(RedisNames, ChangeTogetherWithTheJob) {
  const JobId id = enqueue();
  EXPECT_EQ(names(id), "QUEUED work default 0 1800000000000");
  const Lease lease = claim_with(*backend_);
  EXPECT_EQ(names(id), "RUNNING work default 1 1800000000000");
  clock_.advance(Duration::seconds(10));
  send(Release{.ns = "default",
               .job = id,
               .token = lease.token,
               .delay = Duration::seconds(5),
               .checkpoint = {},
               .log = {}});
  EXPECT_EQ(names(id), "RETRY work default 1 1800000015000");
}

// The script copies the first job of a batch instead of repeating all fields.
TEST_F(RedisNames, AreWrittenForEachJobOfABatch) {
  for (const std::size_t length : {10u, 2000u}) {
    std::vector<NewJob> jobs;
    for (int i = 0; i < 5; ++i) {
      const std::string payload = "\"" + std::string(length, 'x') + std::to_string(i) + "\"";
      jobs.push_back({.id = ids_.next(start), .type = "work", .body = {.payload = payload}});
    }
    send(Enqueue{.ns = "default", .jobs = jobs});
    for (const NewJob& job : jobs) {
      EXPECT_EQ(names(job.id), "QUEUED work default 0 1800000000000");
      EXPECT_EQ(backend_->catalog().get("default", job.id)->body.payload, job.body.payload);
    }
    std::vector<JobId> ids;
    for (const NewJob& job : jobs) ids.push_back(job.id);
    EXPECT_EQ(claim(5), ids);
  }
  EXPECT_TRUE(findings().empty());
}

TEST_F(RedisNames, AreAddedAtTheNextChangeOfAJobOfAnOlderStore) {
  const JobId id = [&] {
    const auto older = open_older();
    const NewJob job{.id = ids_.next(start), .type = "work", .body = {.payload = "1"}};
    send(*older, Enqueue{.ns = "default", .jobs = {job}});
    return job.id;
  }();
  EXPECT_EQ(names(id), "- - - - -");
  EXPECT_TRUE(findings().empty());
  claim_with(*backend_);
  EXPECT_EQ(names(id), "RUNNING work default 1 1800000000000");
  EXPECT_TRUE(findings().empty());
}

TEST_F(RedisNames, AreAddedByTheSweepToJobsOfAnOlderStore) {
  const auto older = open_older();
  const NewJob job{.id = ids_.next(start), .type = "work", .body = {.payload = "1"}};
  send(*older, Enqueue{.ns = "default", .jobs = {job}});
  EXPECT_TRUE(sweep().repaired.empty()) << "nothing was damaged";
  EXPECT_EQ(names(job.id), "QUEUED work default 0 1800000000000");
}

TEST_F(RedisNames, AreCorrectedAfterAnOlderNodeChangedTheJob) {
  const auto older = open_older();
  const JobId id = enqueue();
  const Lease lease = claim_with(*older);
  EXPECT_EQ(names(id), "QUEUED work default 0 1800000000000") << "the older node writes no names";
  EXPECT_TRUE(findings().empty()) << "that is not damage";
  send(Complete{.ns = "default", .job = id, .token = lease.token});
  EXPECT_EQ(names(id), "SUCCESS work default 1 1800000000000");
}

}  // namespace
}  // namespace longshore::redis_test
