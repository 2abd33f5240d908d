// The application's side of a request: what it holds on to, from whatever thread, while the
// connection waits for the answer on its own.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "core/sync/mutex.h"
#include "http/exchange.h"
#include "http/inbox.h"
#include "http/stream_buffer.h"

namespace longshore::wire {

// Whether the other side has left, and who wants to know. Safe to share between threads.
class Departure {
 public:
  // See HttpExchange::on_gone.
  void watch(std::function<void()> gone);
  void happen();
  // Nobody is to be told any more.
  void forget();

 private:
  Mutex mutex_;
  std::function<void()> gone_ LONGSHORE_GUARDED_BY(mutex_);
  bool events_ LONGSHORE_GUARDED_BY(mutex_) = false;
  bool over_ LONGSHORE_GUARDED_BY(mutex_) = false;
};

class WireExchange final : public HttpExchange, public std::enable_shared_from_this<WireExchange> {
 public:
  WireExchange(std::shared_ptr<Inbox> inbox, std::weak_ptr<Connection> connection,
               HttpRequest request);
  ~WireExchange() override;
  WireExchange(const WireExchange&) = delete;
  WireExchange& operator=(const WireExchange&) = delete;

  // Gives it to the application. An answer that comes before this returns is taken straight to
  // the connection, which is the caller.
  static void hand_over(std::shared_ptr<WireExchange> exchange, HttpApplication& application);

  void answer(HttpResponse response, std::function<void(bool)> written) override;
  std::shared_ptr<HttpStream> stream(HttpResponse head, std::size_t buffer_bytes) override;
  void on_gone(std::function<void()> gone) override { departure_.watch(std::move(gone)); }

  Departure& departure() { return departure_; }
  // To the connection, at once if this is being handed over on this thread.
  void send(Errand errand);

 private:
  bool claim() { return !claimed_.exchange(true); }

  std::shared_ptr<Inbox> inbox_;
  std::weak_ptr<Connection> connection_;
  std::atomic<bool> claimed_ = false;  // answer or stream was called
  Departure departure_;
};

// Ends when it is dropped, if not before.
class WireStream final : public HttpStream {
 public:
  WireStream(std::shared_ptr<WireExchange> exchange, std::shared_ptr<StreamBuffer> buffer)
      : exchange_(std::move(exchange)), buffer_(std::move(buffer)) {}
  ~WireStream() override { WireStream::end(); }
  WireStream(const WireStream&) = delete;
  WireStream& operator=(const WireStream&) = delete;

  bool send(std::string bytes) override;
  void end() override;

 private:
  void pump();

  // With the application's handle gone, the connection's side may still need these.
  std::shared_ptr<WireExchange> exchange_;
  std::shared_ptr<StreamBuffer> buffer_;
};

}  // namespace longshore::wire
