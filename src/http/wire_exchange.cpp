#include "http/wire_exchange.h"

#include <utility>

#include "core/assert.h"
#include "http/connection.h"

namespace longshore::wire {
namespace {

// The exchange that this thread is handing to the application just now.
thread_local const WireExchange* handing_over = nullptr;

}  // namespace

void Departure::watch(std::function<void()> gone) {
  {
    const MutexLock lock(mutex_);
    if (!events_ || over_) {
      if (!over_) gone_.swap(gone);
      return;
    }
    over_ = static_cast<bool>(gone);
  }
  if (gone) gone();
}

void Departure::happen() {
  std::function<void()> gone;
  {
    const MutexLock lock(mutex_);
    events_ = true;
    if (over_ || !gone_) return;
    over_ = true;
    gone.swap(gone_);
  }
  gone();
}

void Departure::forget() {
  std::function<void()> gone;  // destroyed without the lock: it may own anything
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
    if (connection != nullptr) connection->dropped();
  });
}

void WireExchange::hand_over(std::shared_ptr<WireExchange> exchange, HttpApplication& application) {
  const WireExchange* outer = std::exchange(handing_over, exchange.get());
  application.handle(std::move(exchange));
  handing_over = outer;
}

void WireExchange::send(Errand errand) {
  if (handing_over == this) {
    errand(connection_.lock().get());
  } else {
    inbox_->put(connection_, std::move(errand));
  }
}

void WireExchange::answer(HttpResponse response, std::function<void(bool)> written) {
  const bool first = claim();
  LONGSHORE_ASSERT(first, "an exchange is answered once");
  departure_.forget();
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
  exchange_->departure().forget();
  pump();
}

void WireStream::pump() {
  exchange_->send([](Connection* connection) {
    if (connection != nullptr) connection->pump_stream();
  });
}

}  // namespace longshore::wire
