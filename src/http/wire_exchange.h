// The application's handle of a request, usable on any thread while the connection waits for the
// response on its own.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "core/sync/mutex.h"
#include "http/exchange.h"
#include "http/inbox.h"
#include "http/stream_buffer.h"

namespace longshore::wire {

// Whether the client has disconnected, and the callback for it. Safe to share between threads.
class DisconnectSignal {
 public:
  // See HttpExchange::on_gone.
  void watch(std::function<void()> gone);
  void fire();
  // The callback will not be called any more.
  void clear();

 private:
  Mutex mutex_;
  std::function<void()> gone_ LONGSHORE_GUARDED_BY(mutex_);
  bool fired_ LONGSHORE_GUARDED_BY(mutex_) = false;
  bool over_ LONGSHORE_GUARDED_BY(mutex_) = false;
};

class WireExchange final : public HttpExchange, public std::enable_shared_from_this<WireExchange> {
 public:
  WireExchange(std::shared_ptr<Inbox> inbox, std::weak_ptr<Connection> connection,
               HttpRequest request);
  ~WireExchange() override;
  WireExchange(const WireExchange&) = delete;
  WireExchange& operator=(const WireExchange&) = delete;

  // Passes the exchange to the application. A response given before this returns goes directly to
  // the connection, which is the caller.
  static void dispatch(std::shared_ptr<WireExchange> exchange, HttpApplication& application);

  void answer(HttpResponse response, std::function<void(bool)> written) override;
  std::shared_ptr<HttpStream> stream(HttpResponse head, std::size_t buffer_bytes) override;
  void on_gone(std::function<void()> gone) override { disconnect_.watch(std::move(gone)); }

  DisconnectSignal& disconnect() { return disconnect_; }
  // To the connection; directly while dispatch runs on this thread.
  void send(Task task);

 private:
  bool claim() { return !claimed_.exchange(true); }

  std::shared_ptr<Inbox> inbox_;
  std::weak_ptr<Connection> connection_;
  std::atomic<bool> claimed_ = false;  // answer or stream was called
  DisconnectSignal disconnect_;
};

// Ends when it is destroyed, if not before.
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

  // The connection may still need these after the application's handle is gone.
  std::shared_ptr<WireExchange> exchange_;
  std::shared_ptr<StreamBuffer> buffer_;
};

}  // namespace longshore::wire
