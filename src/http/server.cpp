#include "http/server.h"

#include <netinet/tcp.h>

#include <atomic>
#include <boost/asio/post.hpp>
#include <future>
#include <system_error>
#include <utility>
#include <vector>

#include "core/assert.h"
#include "http/loop.h"

namespace longshore {

namespace asio = boost::asio;
using asio::ip::tcp;
using wire::Loop;
using wire::Socket;
using wire::TlsContext;

namespace {

using Failure = boost::system::error_code;
using Acceptor = asio::basic_socket_acceptor<tcp, wire::Executor>;

constexpr int backlog = 4096;
// Waits for resources such as file descriptors to become free.
constexpr std::chrono::milliseconds pause_after_failure{100};

// Keep-alive probes detect a vanished peer within two minutes.
void set_options(Socket& socket) {
  Failure ignored;
  socket.non_blocking(true, ignored);
  socket.set_option(tcp::no_delay(true), ignored);
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  const int idle = 60;
  const int interval = 15;
  const int count = 4;
  ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
}

Error unusable(Errc code, const HttpOptions& options, const Failure& failure) {
  return {code, "cannot listen on " + options.address + " port " + std::to_string(options.port) +
                    ": " + failure.message()};
}

}  // namespace

// The listening socket and the threads.
class HttpServer::Sockets {
 public:
  Sockets(HttpApplication& application, HttpOptions options)
      : wire_(application, std::move(options)) {
    // The first loop accepts all connections.
    loops_.push_back(std::make_unique<Loop>(wire_));
    acceptor_.emplace(first().context());
    pause_.emplace(first().context());
  }

  Result<std::uint16_t> listen();
  void start(int threads);
  Result<Nothing> load_tls();
  void stop_accepting();
  bool drain(Duration longest);
  void stop();
  std::size_t connections() const { return wire_.connections(); }
  HttpTroubles troubles() const;

 private:
  Loop& first() { return *loops_.front(); }
  Loop& least_busy();
  void accept();
  void accepted(Loop& loop, const Failure& failure, Socket socket);
  void reject(Loop& loop, Socket socket);
  // Calls `action` on the accepting thread, if it runs, and waits for it.
  template <class Action>
  void on_first_loop(Action action);
  std::shared_ptr<TlsContext> tls();

  wire::Wire wire_;
  std::vector<std::unique_ptr<Loop>> loops_;
  std::optional<Acceptor> acceptor_;
  std::optional<wire::Timer> pause_;
  bool running_ = false;
  bool stopped_ = false;
  std::atomic<std::int64_t> accept_failures_ = 0;
  std::atomic<int> accept_failure_ = 0;  // an errno
  std::atomic<std::int64_t> closed_unanswered_ = 0;

  Mutex tls_mutex_;
  std::shared_ptr<TlsContext> tls_ LONGSHORE_GUARDED_BY(tls_mutex_);
};

Result<std::uint16_t> HttpServer::Sockets::listen() {
  const HttpOptions& options = wire_.options;
  if (options.tls) {
    if (const Result<Nothing> loaded = load_tls(); !loaded) return loaded.error();
  }
  Failure failure;
  tcp::resolver resolver(first().context());
  const auto found = resolver.resolve(options.address, std::to_string(options.port),
                                      tcp::resolver::passive, failure);
  if (failure || found.empty()) return unusable(Errc::invalid, options, failure);
  const tcp::endpoint endpoint = found.begin()->endpoint();
  acceptor_->open(endpoint.protocol(), failure);
  if (!failure) acceptor_->set_option(Acceptor::reuse_address(true), failure);
  if (!failure) acceptor_->bind(endpoint, failure);
  if (!failure) acceptor_->listen(backlog, failure);
  if (failure) return unusable(Errc::refused, options, failure);
  return acceptor_->local_endpoint().port();
}

void HttpServer::Sockets::start(int threads) {
  LONGSHORE_ASSERT(threads > 0 && !running_ && !stopped_);
  while (loops_.size() < static_cast<std::size_t>(threads)) {
    loops_.push_back(std::make_unique<Loop>(wire_));
  }
  if (acceptor_->is_open()) accept();
  running_ = true;
  for (const auto& loop : loops_) loop->start();
}

Loop& HttpServer::Sockets::least_busy() {
  Loop* best = loops_.front().get();
  for (const auto& loop : loops_) {
    if (loop->connections() < best->connections()) best = loop.get();
  }
  return *best;
}

void HttpServer::Sockets::accept() {
  Loop& loop = least_busy();
  acceptor_->async_accept(loop.context(), [this, &loop](const Failure& failure, Socket socket) {
    accepted(loop, failure, std::move(socket));
  });
}

void HttpServer::Sockets::accepted(Loop& loop, const Failure& failure, Socket socket) {
  if (!acceptor_->is_open()) return;
  if (failure && failure != asio::error::connection_aborted) {
    accept_failure_ = failure.value();
    ++accept_failures_;
    pause_->expires_after(pause_after_failure);
    pause_->async_wait([this](const Failure&) {
      if (acceptor_->is_open()) accept();
    });
    return;
  }
  if (!failure) {
    set_options(socket);
    if (wire_.connections() < wire_.options.connections) {
      wire_.connected();
      loop.adopt(std::move(socket), tls());
    } else {
      reject(loop, std::move(socket));
    }
  }
  accept();
}

// With TLS, closes without a handshake.
void HttpServer::Sockets::reject(Loop& loop, Socket socket) {
  if (!tls() && wire_.begin_rejecting()) {
    loop.reject(std::move(socket));
  } else {
    ++closed_unanswered_;
  }
}

HttpTroubles HttpServer::Sockets::troubles() const {
  const int failure = accept_failure_;
  return {.accept_failures = accept_failures_,
          .accept_failure = failure == 0 ? "" : std::generic_category().message(failure),
          .closed_unanswered = closed_unanswered_};
}

Result<Nothing> HttpServer::Sockets::load_tls() {
  LONGSHORE_ASSERT(wire_.options.tls.has_value(), "TLS files are configured");
  const HttpTlsFiles& files = *wire_.options.tls;
  Result<std::shared_ptr<TlsContext>> loaded = TlsContext::load(files.certificate, files.key);
  if (!loaded) return loaded.error();
  const MutexLock lock(tls_mutex_);
  tls_ = *loaded;
  return Nothing{};
}

std::shared_ptr<TlsContext> HttpServer::Sockets::tls() {
  const MutexLock lock(tls_mutex_);
  return tls_;
}

template <class Action>
void HttpServer::Sockets::on_first_loop(Action action) {
  if (!running_) return action();
  std::promise<void> done;
  asio::post(first().context(), [&] {
    action();
    done.set_value();
  });
  done.get_future().wait();
}

void HttpServer::Sockets::stop_accepting() {
  if (stopped_) return;
  on_first_loop([this] {
    Failure ignored;
    acceptor_->close(ignored);
    pause_->cancel();
  });
}

bool HttpServer::Sockets::drain(Duration longest) {
  stop_accepting();
  wire_.draining = true;
  if (!running_) return true;
  for (const auto& loop : loops_) loop->close_if_idle();
  return wire_.wait_until_empty(longest);
}

void HttpServer::Sockets::stop() {
  stop_accepting();
  stopped_ = true;
  if (!std::exchange(running_, false)) return;
  for (const auto& loop : loops_) loop->finish();
  for (const auto& loop : loops_) loop->join();
}

HttpServer::HttpServer(HttpApplication& application, HttpOptions options)
    : sockets_(std::make_unique<Sockets>(application, std::move(options))) {}

HttpServer::~HttpServer() { stop(); }

Result<std::uint16_t> HttpServer::listen() { return sockets_->listen(); }
void HttpServer::start(int threads) { sockets_->start(threads); }
Result<Nothing> HttpServer::reload_tls() { return sockets_->load_tls(); }
void HttpServer::stop_accepting() { sockets_->stop_accepting(); }
bool HttpServer::drain(Duration longest) { return sockets_->drain(longest); }
void HttpServer::stop() { sockets_->stop(); }
std::size_t HttpServer::connections() const { return sockets_->connections(); }
HttpTroubles HttpServer::troubles() const { return sockets_->troubles(); }

}  // namespace longshore
