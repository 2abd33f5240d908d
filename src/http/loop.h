// One thread of the server and its connections.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "http/inbox.h"
#include "http/parse/request_reader.h"
#include "http/tls.h"
#include "http/wire.h"

namespace longshore::wire {

using Executor = boost::asio::io_context::executor_type;
using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Executor>;
using Timer = boost::asio::basic_waitable_timer<
    std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>, Executor>;

class Loop {
 public:
  explicit Loop(Wire& wire);
  ~Loop();  // REQUIRES: never started, or finished
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  // These may be called on any thread.
  void start();
  boost::asio::io_context& context() { return context_; }
  std::size_t connections() const { return count_.load(std::memory_order_relaxed); }
  // A socket of context(), counted in the wire. `tls` is null for plain TCP.
  void adopt(Socket socket, std::shared_ptr<TlsContext> tls);
  // Responds to a socket of context() that there are too many connections, and closes it once that
  // was read or has timed out. It is counted in the wire as rejected. Not for TLS.
  void reject(Socket socket);
  // Closes idle connections; the server is draining.
  void close_if_idle();
  // Closes every connection, and ends the thread when it has nothing left to do.
  void finish();
  // Waits for the thread. Later tasks find their connection gone.
  void join();

  // For the connections, on the loop's thread.
  Wire& wire() { return wire_; }
  const std::shared_ptr<Inbox>& inbox() const { return inbox_; }
  std::span<char> scratch() { return scratch_; }  // for one read
  // The current second; valid until the next call.
  std::string_view date();
  std::unique_ptr<RequestReader> borrow_reader();
  void return_reader(std::unique_ptr<RequestReader> reader);
  void remove(Connection& connection);

 private:
  void run();
  std::shared_ptr<Connection> add(Socket socket, TlsContext::Session session);
  void run_tasks();
  void await_sweep();
  void sweep();
  // Visits all current connections, even if some end meanwhile.
  template <class Action>
  void for_each_connection(Action action);

  // Constant after construction.
  Wire& wire_;
  std::chrono::milliseconds sweep_every_;

  std::shared_ptr<Inbox> inbox_;

  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<Executor> work_;
  std::atomic<std::size_t> count_ = 0;

  // Used only on the loop's thread.
  Timer sweep_timer_;
  std::vector<std::shared_ptr<Connection>> connections_;
  std::vector<std::unique_ptr<RequestReader>> spare_readers_;
  std::vector<Inbox::Item> items_;
  std::vector<char> scratch_;
  std::string date_;
  std::int64_t date_seconds_ = -1;  // the time in date_
  bool finishing_ = false;

  std::thread thread_;
};

}  // namespace longshore::wire
