#include "bench/http_load.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string_view>
#include <thread>

namespace longshore::bench {
namespace {

using Steady = std::chrono::steady_clock;

constexpr int sub_buckets = 32;

std::uint64_t nanos_since(Steady::time_point start) {
  return static_cast<std::uint64_t>((Steady::now() - start).count());
}

double thread_processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

struct Client {
  int socket = -1;
  Steady::time_point sent;
  std::string received;
};

// The length of the first answer in `text`, or 0 if it is not all there.
std::size_t answer_length(std::string_view text) {
  constexpr std::string_view end_of_head = "\r\n\r\n";
  constexpr std::string_view length_name = "Content-Length: ";
  const std::size_t head = text.find(end_of_head);
  if (head == std::string_view::npos) return 0;
  std::size_t body = 0;
  const std::size_t length = text.substr(0, head).find(length_name);
  if (length != std::string_view::npos) {
    std::from_chars(text.data() + length + length_name.size(), text.data() + head, body);
  }
  const std::size_t whole = head + end_of_head.size() + body;
  return whole <= text.size() ? whole : 0;
}

// The clients of one thread.
class Clients {
 public:
  Clients(const HttpLoad& load, int count)
      : load_(load),
        share_(load.per_second * count / load.connections),
        clients_(static_cast<std::size_t>(count)) {
    for (Client& client : clients_) open(client);
  }

  ~Clients() {
    for (const Client& client : clients_) ::close(client.socket);
    ::close(epoll_);
  }

  Clients(const Clients&) = delete;
  Clients& operator=(const Clients&) = delete;

  HttpLoadResult run(Steady::time_point end) {
    const double before = thread_processor_seconds();
    const auto start = Steady::now();
    for (Client& client : clients_) idle_.push_back(&client);
    epoll_event events[256];
    while (Steady::now() < end && !clients_.empty()) {
      send_what_is_due(std::chrono::duration<double>(Steady::now() - start).count());
      const int count = epoll_wait(epoll_, events, std::size(events), share_ > 0 ? 1 : 100);
      for (int n = 0; n < count; ++n) receive(*static_cast<Client*>(events[n].data.ptr));
    }
    result_.seconds = std::chrono::duration<double>(Steady::now() - start).count();
    result_.processor_seconds = thread_processor_seconds() - before;
    return std::move(result_);
  }

 private:
  void open(Client& client) {
    client.socket = connect_to(load_.port);
    if (client.socket < 0) {
      fmt::print(stderr, "cannot connect to port {}: {}\n", load_.port, std::strerror(errno));
      std::abort();
    }
    epoll_event event{.events = EPOLLIN, .data = {.ptr = &client}};
    epoll_ctl(epoll_, EPOLL_CTL_ADD, client.socket, &event);
  }

  // Those who were answered go on, as far as the rate allows.
  void send_what_is_due(double elapsed) {
    const auto due = static_cast<std::uint64_t>(share_ * elapsed);
    while (!idle_.empty() && (share_ == 0 || result_.sent < due)) {
      Client& client = *idle_.front();
      idle_.pop_front();
      send(client);
    }
  }

  void send(Client& client) {
    ++result_.sent;
    client.sent = Steady::now();
    std::string_view left = load_.request;
    while (!left.empty()) {
      const ssize_t count = ::send(client.socket, left.data(), left.size(), MSG_NOSIGNAL);
      if (count <= 0) return;  // the end comes through epoll
      left.remove_prefix(static_cast<std::size_t>(count));
    }
  }

  void receive(Client& client) {
    char bytes[16 * 1024];
    const ssize_t count = ::recv(client.socket, bytes, sizeof bytes, 0);
    if (count <= 0) return reopen(client);
    std::string_view text(bytes, static_cast<std::size_t>(count));
    if (!client.received.empty()) text = client.received.append(text);
    const std::size_t length = answer_length(text);
    if (length == 0) {
      if (client.received.empty()) client.received = text;
      return;
    }
    note(client, text);
    client.received.clear();
    idle_.push_back(&client);
    if (share_ == 0) send_what_is_due(0);
  }

  void note(const Client& client, std::string_view answer) {
    const bool good = answer.substr(0, 10).ends_with('2');
    ++(good ? result_.answers : result_.refused);
    (good ? result_.latency : result_.refused_latency).add(nanos_since(client.sent));
  }

  void reopen(Client& client) {
    ++result_.broken;
    ::close(client.socket);
    client.received.clear();
    open(client);
    idle_.push_back(&client);
  }

  const HttpLoad& load_;
  const double share_;  // requests a second of this thread's
  const int epoll_ = epoll_create1(0);
  std::vector<Client> clients_;
  std::deque<Client*> idle_;
  HttpLoadResult result_;
};

void add(HttpLoadResult& all, const HttpLoadResult& part) {
  all.sent += part.sent;
  all.answers += part.answers;
  all.refused += part.refused;
  all.broken += part.broken;
  all.seconds = std::max(all.seconds, part.seconds);
  all.processor_seconds += part.processor_seconds;
  all.latency.add(part.latency);
  all.refused_latency.add(part.refused_latency);
}

}  // namespace

// The power of two picks a group of buckets, the five bits below it one of the group.
void LatencyHistogram::add(std::uint64_t nanos) {
  const std::uint64_t value = std::max<std::uint64_t>(nanos, sub_buckets);
  const int power = static_cast<int>(std::bit_width(value)) - 1;
  const std::uint64_t within = (value >> (power - 5)) & (sub_buckets - 1);
  ++buckets_[static_cast<std::size_t>(power) * sub_buckets + within];
  ++count_;
}

void LatencyHistogram::add(const LatencyHistogram& other) {
  for (std::size_t n = 0; n < buckets_.size(); ++n) buckets_[n] += other.buckets_[n];
  count_ += other.count_;
}

double LatencyHistogram::quantile(double part) const {
  const auto wanted = static_cast<std::uint64_t>(part * static_cast<double>(count_));
  std::uint64_t seen = 0;
  for (std::size_t n = 0; n < buckets_.size(); ++n) {
    seen += buckets_[n];
    if (seen <= wanted || buckets_[n] == 0) continue;
    const std::uint64_t power = n / sub_buckets;
    const std::uint64_t value = (sub_buckets + n % sub_buckets + 1) << (power - 5);
    return static_cast<double>(value) / 1e6;
  }
  return 0;
}

int connect_to(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    ::close(socket);
    return -1;
  }
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return socket;
}

std::string post_request(const std::string& target, const std::string& body) {
  return fmt::format(
      "POST {} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: longshore-bench\r\nAccept: */*\r\n"
      "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
      target, body.size(), body);
}

HttpLoadResult run_http_load(const HttpLoad& load) {
  const int threads = std::min(load.threads, load.connections);
  std::vector<HttpLoadResult> results(static_cast<std::size_t>(threads));
  std::vector<std::unique_ptr<Clients>> groups;
  for (int n = 0; n < threads; ++n) {
    const int count = load.connections / threads + (n < load.connections % threads ? 1 : 0);
    groups.push_back(std::make_unique<Clients>(load, count));
  }
  const auto length =
      std::chrono::duration_cast<Steady::duration>(std::chrono::duration<double>(load.seconds));
  const auto end = Steady::now() + length;
  std::vector<std::thread> runners;
  for (std::size_t n = 0; n < groups.size(); ++n) {
    runners.emplace_back([&, n] { results[n] = groups[n]->run(end); });
  }
  for (std::thread& runner : runners) runner.join();
  HttpLoadResult all;
  for (const HttpLoadResult& result : results) add(all, result);
  return all;
}

}  // namespace longshore::bench
