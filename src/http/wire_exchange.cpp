#include "http/wire_exchange.h"

#include <utility>

#include "core/assert.h"
#include "http/connection.h"

namespace longshore::wire {
namespace {

// The exchange that this thread is passing to the application.
thread_local const WireExchange* dispatching = nullptr;

}  // namespace

void DisconnectSignal::watch(std::function<void()> gone) {
  {
    const MutexLock lock(mutex_);
    if (!fired_ || over_) {
      if (!over_) gone_.swap(gone);
      return;
    }
    over_ = static_cast<bool>(gone);
  }
  if (gone) gone();
}

void DisconnectSignal::fire() {
  std::function<void()> gone;
  {
    const MutexLock lock(mutex_);
    fired_ = true;
    if (over_ || !gone_) return;
    over_ = true;
    gone.swap(gone_);
  }
  gone();
}

void DisconnectSignal::clear() {
  std::function<void()> gone;  // destroyed without the lock, since it may own anything
  const MutexLock lock(mutex_);
  over_ = true;
  gone.swap(gone_);
}

WireExchange::WireExchange(std::shared_ptr<Inbox> inbox, std::weak_ptr<Connection> connection,
                           HttpRequest request)
    : HttpExchange(std::move(request)),
      inbox_(std::move(inbox)),
      connection_(std::move(connection)) {}

WireExchange::~WireExchange() {
  if (!claim()) return;
  send([](Connection* connection) {
    if (connection != nullptr) connection->on_dropped();
  });
}

void WireExchange::dispatch(std::shared_ptr<WireExchange> exchange, HttpApplication& application) {
  const WireExchange* outer = std::exchange(dispatching, exchange.get());
  application.handle(std::move(exchange));
  dispatching = outer;
}

void WireExchange::send(Task task) {
  if (dispatching == this) {
    task(connection_.lock().get());
  } else {
    inbox_->put(connection_, std::move(task));
  }
}

void WireExchange::answer(HttpResponse response, std::function<void(bool)> written) {
  const bool first = claim();
  LONGSHORE_ASSERT(first, "an exchange is answered once");
  disconnect_.clear();
  send([response = std::move(response),
        written = std::move(written)](Connection* connection) mutable {
    if (connection != nullptr) {
      connection->answer(std::move(response), std::move(written));
    } else if (written) {
      written(false);
    }
  });
}

std::shared_ptr<HttpStream> WireExchange::stream(HttpResponse head, std::size_t buffer_bytes) {
  const bool first = claim();
  LONGSHORE_ASSERT(first, "an exchange is answered once");
  auto buffer = std::make_shared<StreamBuffer>(buffer_bytes);
  send([head = std::move(head), buffer](Connection* connection) mutable {
    if (connection != nullptr) {
      connection->begin_stream(head, std::move(buffer));
    } else {
      buffer->leave();
    }
  });
  return std::make_shared<WireStream>(shared_from_this(), std::move(buffer));
}

bool WireStream::send(std::string bytes) {
  const StreamBuffer::Put put = buffer_->put(bytes);
  if (put == StreamBuffer::Put::kept_first) pump();
  return put != StreamBuffer::Put::refused;
}

void WireStream::end() {
  if (!buffer_->end()) return;
  exchange_->disconnect().clear();
  pump();
}

void WireStream::pump() {
  exchange_->send([](Connection* connection) {
    if (connection != nullptr) connection->pump_stream();
  });
}

}  // namespace longshore::wire
