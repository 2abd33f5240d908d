// Very many jobs on a server whose statistics tell what it took to go through them.
#pragma once

#include <charconv>

#include "redis/store_fixture.h"

namespace longshore::redis_test {

inline constexpr int list_length = 20'000;

struct OwnServer {
  OwnServers server_;
};

// A server of its own, whose statistics count what this test does and nothing else.
class RedisLongLists : private OwnServer, public RedisStore {
 protected:
  RedisLongLists() : RedisStore(AtUrl{server_.url("prefix=own")}) {}

  std::vector<Verdict> send_all(const std::vector<Command>& commands) {
    const auto committed = backend_->store().commit(commands);
    EXPECT_TRUE(committed.ok()) << (committed ? "" : committed.error().message);
    return committed ? committed->verdicts : std::vector<Verdict>(commands.size());
  }
  std::vector<JobId> enqueue_many(const NewJob& like) {
    std::vector<JobId> ids;
    while (std::ssize(ids) < list_length) {
      Enqueue enqueue{.ns = "default", .jobs = {}};
      for (int i = 0; i < 1000; ++i) {
        enqueue.jobs.push_back(like);
        ids.push_back(enqueue.jobs.back().id = ids_.next(start));
      }
      EXPECT_TRUE(std::holds_alternative<Enqueued>(send(enqueue)));
    }
    return ids;
  }
  void cancel_all(const std::vector<JobId>& ids) {
    std::vector<Command> cancels;
    for (const JobId& id : ids) {
      cancels.emplace_back(Cancel{.ns = "default", .job = id, .actor = {}});
      if (cancels.size() < 1000 && id != ids.back()) continue;
      send_all(cancels);
      cancels.clear();
    }
  }
  // Leaves that many stale elements in the list of the type "work".
  void make_stale() { cancel_all(enqueue_many(plain())); }
  NewJob plain(const std::string& type = "work", const std::string& queue = "default") {
    return {.id = ids_.next(start), .type = type, .queue = queue, .body = {.payload = "1"}};
  }
  Claim claim_of(const std::string& queue) {
    return {.id = random_id<RequestId>(random_), .ns = "default", .worker = "w", .queues = {queue}};
  }
  void limit_type(const std::string& type, int most) {
    send(Configure{.queues = {},
                   .types = {{.ns = "default",
                              .type = type,
                              .max_running = most,
                              .keep_success = {},
                              .keep_canceled = {},
                              .keep_dead = {}}}});
  }
  std::int64_t length() { return ask({"LLEN", ready_list()}).integer; }

  // How often the server has run a command.
  std::int64_t calls(const std::string& command) {
    const std::string stats = ask({"INFO", "commandstats"}).text;
    const std::string before = "cmdstat_" + command + ":calls=";
    const std::size_t at = stats.find(before);
    std::int64_t count = 0;
    if (at == std::string::npos) return count;
    const char* digits = stats.data() + at + before.size();
    std::from_chars(digits, stats.data() + stats.size(), count);
    return count;
  }
  // Notes the statistics; the two that follow count from there.
  void begin_count() {
    reads_before_ = calls("hmget");
    scripts_before_ = calls("evalsha") + calls("eval");
  }
  std::int64_t reads() { return calls("hmget") - reads_before_; }
  std::int64_t scripts() { return calls("evalsha") + calls("eval") - scripts_before_; }

 private:
  std::int64_t reads_before_ = 0;
  std::int64_t scripts_before_ = 0;
};

}  // namespace longshore::redis_test
