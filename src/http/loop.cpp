#include "http/loop.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <csignal>
#include <utility>

#include "http/connection.h"
#include "http/response_text.h"

namespace longshore::wire {
namespace {

namespace asio = boost::asio;

constexpr std::size_t scratch_bytes = 64 * 1024;
constexpr std::size_t spare_readers_max = 64;

// Timeouts are checked at this interval, instead of one timer per connection.
std::chrono::milliseconds sweep_interval(const HttpOptions& options) {
  const Duration shortest =
      std::min({options.handshake_time, options.header_time, options.body_time, options.idle_time,
                options.write_time, options.linger_time});
  return std::chrono::milliseconds(std::clamp<std::int64_t>(shortest.count() / 4, 5, 1000));
}

std::string address_of(const Socket& socket) {
  boost::system::error_code failure;
  asio::ip::address address = socket.remote_endpoint(failure).address();
  if (failure) return {};
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  }
  return address.to_string();
}

}  // namespace

Loop::Loop(Wire& wire)
    : wire_(wire),
      sweep_every_(sweep_interval(wire.options)),
      inbox_(std::make_shared<Inbox>([this] { asio::post(context_, [this] { run_tasks(); }); })),
      work_(asio::make_work_guard(context_)),
      sweep_timer_(context_),
      scratch_(scratch_bytes) {}

Loop::~Loop() { join(); }

void Loop::start() {
  await_sweep();
  thread_ = std::thread([this] { run(); });
}

void Loop::run() {
  // OpenSSL writes to sockets without MSG_NOSIGNAL.
  sigset_t broken_pipe;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
  context_.run();
}

void Loop::adopt(Socket socket, std::shared_ptr<TlsContext> tls) {
  count_.fetch_add(1, std::memory_order_relaxed);
  asio::post(context_, [this, socket = std::move(socket), tls = std::move(tls)]() mutable {
    TlsContext::Session session = tls ? tls->accept(socket.native_handle()) : nullptr;
    const bool usable = !finishing_ && (!tls || session);
    const auto connection = add(std::move(socket), std::move(session));
    usable ? connection->start() : connection->close();
  });
}

void Loop::reject(Socket socket) {
  asio::post(context_, [this, socket = std::move(socket)]() mutable {
    const auto connection = add(std::move(socket), nullptr);
    connection->counts = false;
    finishing_ ? connection->close() : connection->reject();
  });
}

std::shared_ptr<Connection> Loop::add(Socket socket, TlsContext::Session session) {
  std::string peer = address_of(socket);
  Channel channel(socket.native_handle(), std::move(session));
  auto connection =
      std::make_shared<Connection>(*this, std::move(socket), std::move(channel), std::move(peer));
  connection->place = connections_.size();
  connections_.push_back(connection);
  return connection;
}

void Loop::remove(Connection& connection) {
  const std::size_t place = connection.place;
  const bool counts = connection.counts;
  connections_.back()->place = place;
  std::swap(connections_[place], connections_.back());
  connections_.pop_back();
  if (!counts) return wire_.end_rejecting();
  count_.fetch_sub(1, std::memory_order_relaxed);
  wire_.disconnected();
}

void Loop::run_tasks() {
  inbox_->take(items_);
  for (Inbox::Item& item : items_) {
    const std::shared_ptr<Connection> connection = item.connection.lock();
    const bool there = connection && !connection->is_closed();
    item.task(there ? connection.get() : nullptr);
    if (there) connection->proceed();
  }
  items_.clear();
}

template <class Action>
void Loop::for_each_connection(Action action) {
  // Backwards: a connection that ends is replaced by the last one, which was already visited.
  for (std::size_t next = connections_.size(); next > 0; --next) {
    if (next > connections_.size()) continue;
    const std::shared_ptr<Connection> connection = connections_[next - 1];
    action(*connection);
  }
}

void Loop::await_sweep() {
  sweep_timer_.expires_after(sweep_every_);
  sweep_timer_.async_wait([this](boost::system::error_code failure) {
    if (failure || finishing_) return;
    sweep();
    await_sweep();
  });
}

void Loop::sweep() {
  const Moment time = now();
  for_each_connection([time](Connection& connection) { connection.expire(time); });
}

std::string_view Loop::date() {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(since_1970).count();
  if (seconds != std::exchange(date_seconds_, seconds)) date_ = http_date(seconds);
  return date_;
}

void Loop::close_if_idle() {
  asio::post(context_, [this] {
    for_each_connection([](Connection& connection) { connection.close_if_idle(); });
  });
}

void Loop::finish() {
  asio::post(context_, [this] {
    finishing_ = true;
    sweep_timer_.cancel();
    for_each_connection([](Connection& connection) { connection.close(); });
    work_.reset();
  });
}

void Loop::join() {
  if (thread_.joinable()) thread_.join();
  inbox_->close();
}

std::unique_ptr<RequestReader> Loop::borrow_reader() {
  if (spare_readers_.empty()) return std::make_unique<RequestReader>(wire_.head_limits);
  std::unique_ptr<RequestReader> reader = std::move(spare_readers_.back());
  spare_readers_.pop_back();
  return reader;
}

void Loop::return_reader(std::unique_ptr<RequestReader> reader) {
  reader->begin();
  if (spare_readers_.size() < spare_readers_max) spare_readers_.push_back(std::move(reader));
}

}  // namespace longshore::wire
