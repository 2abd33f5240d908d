// Failures that only a remote server can cause: it is down, killed, another program, or does not
// know the token.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "e2e/server_process.h"
#include "longshore/longshore.h"

namespace longshore::e2e {
namespace {

using namespace std::chrono_literals;

// Answers every connection with the same text and closes it.
class FixedAnswer {
 public:
  explicit FixedAnswer(std::string text) : text_(std::move(text)) {
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{.sin_family = AF_INET};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address));
    ::listen(socket_, 8);
    socklen_t size = sizeof(address);
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    thread_ = std::jthread([this] { serve(); });
  }
  ~FixedAnswer() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }
  const std::string& url() const { return url_; }

 private:
  void serve() {
    for (int peer = 0; (peer = ::accept(socket_, nullptr, nullptr)) >= 0; ::close(peer)) {
      std::array<char, 4096> request{};
      if (::read(peer, request.data(), request.size()) <= 0) continue;
      if (::write(peer, text_.data(), text_.size()) < 0) continue;
    }
  }

  const std::string text_;
  int socket_ = -1;
  std::string url_;
  std::jthread thread_;
};

class Remote : public ::testing::Test {
 protected:
  Longshore connect() {
    const std::string token = server.make_token("operator");
    server.start();
    return connect_with(token);
  }
  Longshore connect_with(const std::string& token) {
    return open(server.url(), {.token = token, .retry_for = 60s}).value();
  }

  ScratchFolder folder;
  ServerProcess server{"sqlite:" + folder.path() + "/jobs.db"};
};

TEST_F(Remote, ReportsAnUnreachableServer) {
  server.start();
  const std::string url = server.url();
  server.kill();
  const Result<Longshore> opened = open(url, {.retry_for = 300ms});
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, Errc::unavailable);
  EXPECT_NE(opened.error().message.find(url), std::string::npos) << opened.error().message;
}

TEST_F(Remote, ReportsAnotherProgramAtTheAddress) {
  for (const char* answer :
       {"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>",
        "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"}) {
    const FixedAnswer other(answer);
    const Result<Longshore> opened = open(other.url(), {.retry_for = 100ms});
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().code, Errc::invalid) << opened.error().message;
    EXPECT_NE(opened.error().message.find("not a Longshore server"), std::string::npos)
        << opened.error().message;
  }
}

TEST_F(Remote, RefusesOptionsOfTheServer) {
  for (const OpenOptions& options :
       {OpenOptions{.profile = "basic"}, OpenOptions{.rules = Rules()}, OpenOptions{.ns = "other"},
        OpenOptions{.queue_policies = {{"q", {.max_retries = 1}}}}}) {
    EXPECT_EQ(open("http://127.0.0.1:1", options).error().code, Errc::invalid);
  }
  EXPECT_EQ(open("http://127.0.0.1:port").error().code, Errc::invalid);
  EXPECT_EQ(open("https://127.0.0.1:1", {.ca_file = "/no/such/file"}).error().code, Errc::invalid);
}

TEST_F(Remote, ReportsAnUnknownToken) {
  const std::string good = server.make_token("operator");
  server.start();
  for (const std::string token : {"", "nonsense"}) {
    const Result<Longshore> opened = open(server.url(), {.token = token});
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().code, Errc::refused);
    EXPECT_EQ(opened.error().refusal, Code::unauthenticated);
    EXPECT_NE(opened.error().message.find("token"), std::string::npos);
  }
  EXPECT_TRUE(open(server.url(), {.token = good}).ok());
}

TEST_F(Remote, TrustsTheGivenCertificates) {
  const std::string certificate = folder.path() + "/server.pem";
  const std::string key = folder.path() + "/server.key";
  const std::string make =
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
      "-subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 -keyout " +
      key + " -out " + certificate + " 2>/dev/null";
  ASSERT_EQ(std::system(make.c_str()), 0);
  const std::string token = server.make_token("producer");
  server.start({"--tls-cert", certificate, "--tls-key", key});
  ASSERT_EQ(server.url().rfind("https://", 0), 0U) << server.url();
  const Result<Longshore> trusting = open(server.url(), {.token = token, .ca_file = certificate});
  ASSERT_TRUE(trusting.ok()) << trusting.error().message;
  EXPECT_TRUE(trusting->client().enqueue({.type = "T"}).ok());
  const Result<Longshore> wary = open(server.url(), {.token = token, .retry_for = 100ms});
  ASSERT_FALSE(wary.ok());
  EXPECT_EQ(wary.error().code, Errc::unavailable);
  EXPECT_NE(wary.error().message.find("certificate"), std::string::npos) << wary.error().message;
}

TEST_F(Remote, IsLimitedToTheRoleOfItsToken) {
  const std::string producers = server.make_token("producer");
  const std::string workers = server.make_token("worker");
  server.start();
  const Longshore producing = connect_with(producers);
  const Client producer = producing.client();
  const JobId id = producer.enqueue({.type = "T", .options = {.job_key = "k"}}).value().id;
  EXPECT_EQ(producer.get(id)->job.state, State::queued);
  const Error listing = producer.list().error();
  EXPECT_EQ(listing.code, Errc::refused);
  EXPECT_EQ(listing.refusal, Code::forbidden);
  EXPECT_EQ(producer.complete_by_key("T", "k").error().refusal, Code::forbidden);

  const Longshore working = connect_with(workers);
  EXPECT_EQ(working.client().enqueue({.type = "T"}).error().refusal, Code::forbidden);
  EXPECT_EQ(working.client().find_by_key("T", "k").value().id, id);
  const Lease lease = working.leases()->claim({}, 60s).value().at(0);
  ASSERT_TRUE(working.leases()->tell({HandOff{.job = id, .token = lease.token}}));
  EXPECT_TRUE(working.client().complete_by_key("T", "k", "[1]"));
  const JobRecord ended = producer.get(id).value();
  EXPECT_EQ(ended.job.state, State::success);
  EXPECT_EQ(ended.result, "[1]");
  EXPECT_EQ(producer.result(id, 60s).value(), "[1]");
}

TEST_F(Remote, HasACatalogThatRefusesUnsupportedCalls) {
  const Longshore longshore = connect();
  EXPECT_EQ(longshore.capabilities().name, "server");
  EXPECT_EQ(longshore.capabilities().durability, Durability::a);
  EXPECT_TRUE(longshore.capabilities().shared);
  const JobId id = longshore.client().enqueue({.type = "T"}).value().id;
  Catalog& catalog = longshore.catalog();
  EXPECT_EQ(catalog.get("", id)->job.type, "T");
  EXPECT_EQ(catalog.glance("", id)->state, State::queued);
  EXPECT_EQ(catalog.list({})->jobs.size(), 1U);
  EXPECT_TRUE(catalog.logs("", id)->empty());
  EXPECT_EQ(catalog.get("other", id).error().code, Errc::invalid);
  const Error audit = catalog.audit().error();
  EXPECT_EQ(audit.code, Errc::refused);
  EXPECT_NE(audit.message.find("POST /check"), std::string::npos);
}

// The call is in flight when the server dies, or cannot connect: it is retried in both cases.
TEST_F(Remote, RetriesACallUntilTheServerIsBack) {
  Longshore longshore = connect();
  const Client client = longshore.client();
  const JobId chosen = client.enqueue({.type = "T"}).value().id;
  server.kill();
  std::jthread restart([this] { server.start(); });
  EXPECT_EQ(client.enqueue({.type = "T", .options = {.id = chosen}}).value().id, chosen);
  EXPECT_TRUE(client.enqueue({.type = "T"}).ok());
  restart.join();
  EXPECT_EQ(client.list().value().jobs.size(), 2U);
}

TEST_F(Remote, WatchesAcrossARestart) {
  Longshore longshore = connect();
  const Client client = longshore.client();
  const JobId id = client.enqueue({.type = "T"}).value().id;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<State> seen;
  std::jthread watcher([&] {
    const auto last = client.watch(id, [&](const Transition& move) {
      const std::lock_guard lock(mutex);
      seen.push_back(move.to);
      changed.notify_all();
      return true;
    });
    ASSERT_TRUE(last.ok()) << last.error().message;
    EXPECT_EQ(*last, 4);
  });
  {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, 60s, [&] { return seen.size() == 2; }));
  }
  server.kill();
  server.start();
  const Result<std::vector<Lease>> leases = longshore.leases()->claim({}, 60s);
  ASSERT_TRUE(leases.ok()) << leases.error().message;
  ASSERT_TRUE(longshore.leases()->tell({Complete{.job = id, .token = leases->at(0).token}}));
  watcher.join();
  EXPECT_EQ(seen,
            (std::vector<State>{State::created, State::queued, State::running, State::success}));
}

TEST_F(Remote, WorkerContinuesAfterTheServerIsKilled) {
  Longshore longshore = connect();
  std::mutex mutex;
  std::condition_variable changed;
  bool begun = false;
  bool may_end = false;
  Worker worker(longshore, {.concurrency = 2});
  worker.handle("slow", [&](Context&) {
    std::unique_lock lock(mutex);
    begun = true;
    changed.notify_all();
    changed.wait_for(lock, 60s, [&] { return may_end; });
    return ok(1);
  });
  ASSERT_TRUE(worker.start());
  const Client client = longshore.client();
  const JobId first = client.enqueue({.type = "slow"}).value().id;
  {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, 60s, [&] { return begun; }));
  }
  server.kill();
  {
    const std::lock_guard lock(mutex);
    may_end = true;
    changed.notify_all();
  }
  server.start();
  EXPECT_EQ(client.result(first, 60s).value(), "1");
  const JobId second = client.enqueue({.type = "slow"}).value().id;
  EXPECT_EQ(client.result(second, 60s).value(), "1");
  EXPECT_EQ(client.get(first)->job.attempt, 1) << "its worker kept it";
}

}  // namespace
}  // namespace longshore::e2e
