#include "http/connection.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "http/response_text.h"
#include "http/wire_exchange.h"

namespace longshore::wire {
namespace {

namespace asio = boost::asio;

constexpr std::size_t ahead_bytes_max = 64 * 1024;
constexpr std::size_t always_admitted_bytes = 64 * 1024;
constexpr std::size_t unsent_bytes_max = 256 * 1024;
constexpr int reads_in_a_row_max = 16;  // then other connections take their turn

}  // namespace

Connection::Connection(Loop& loop, Socket socket, Channel channel, std::string peer)
    : loop_(loop),
      wire_(loop.wire()),
      socket_(std::move(socket)),
      channel_(std::move(channel)),
      peer_(std::move(peer)) {}

void Connection::start() {
  const HttpOptions& options = wire_.options;
  phase_ = channel_.secure() ? Phase::handshake : Phase::open;
  deadline_ = later(now(), channel_.secure() ? options.handshake_time : options.idle_time);
  wait_to_read();
}

void Connection::reject() {
  keep_alive_ = false;
  unread_ = true;  // the request may have arrived already
  answer(wire_.application.refuse("OVERLOADED", "there are too many connections"), {});
  proceed();
}

// ---- Reading ----

bool Connection::wants_input() const {
  switch (phase_) {
    case Phase::handshake:
    case Phase::lingering:
      return !peer_ended_;
    case Phase::open:
      return !peer_ended_ && !has_too_much_unsent() && ahead_.size() < ahead_bytes_max;
    default:
      return false;
  }
}

bool Connection::has_too_much_unsent() const { return outbox_.bytes() > unsent_bytes_max; }

bool Connection::has_more_to_read() const {
  return phase_ == Phase::open && !busy_ && !has_too_much_unsent() && !ahead_.empty();
}

void Connection::wait_to_read() {
  if (reading_ || !wants_input()) return;
  reading_ = true;
  auto readable = [self = shared_from_this()](const boost::system::error_code& = {}) {
    self->reading_ = false;
    self->on_readable();
  };
  // Data that TLS has already decrypted does not make the socket readable.
  if (channel_.has_pending()) {
    asio::post(socket_.get_executor(), std::move(readable));
  } else {
    socket_.async_wait(Socket::wait_read, std::move(readable));
  }
}

void Connection::on_readable() {
  if (phase_ == Phase::handshake && !handshake()) return;
  receive();
  proceed();
}

bool Connection::handshake() {
  switch (channel_.handshake()) {
    case Io::done:
      phase_ = Phase::open;
      deadline_ = later(now(), wire_.options.idle_time);
      return true;
    case Io::wait_read:
      wait_to_read();
      return false;
    case Io::wait_write:
      wait_to_write();
      return false;
    default:
      close();
      return false;
  }
}

void Connection::receive() {
  const std::span<char> scratch = loop_.scratch();
  for (int reads = 0; reads < reads_in_a_row_max && wants_input(); ++reads) {
    std::size_t count = 0;
    switch (channel_.read(scratch, count)) {
      case Io::done:
        take({scratch.data(), count});
        break;
      case Io::wait_read:
        return;
      case Io::wait_write:
        return wait_to_write();
      case Io::ended:
        return peer_ended();
      case Io::broken:
        return close();
    }
    // A short read empties a plain socket; a TLS session may hold more.
    if (!channel_.secure() && count < scratch.size()) return;
  }
}

void Connection::take(std::string_view bytes) {
  if (phase_ == Phase::lingering) {
    linger_left_ -= std::min(linger_left_, bytes.size());
    if (linger_left_ == 0) close();
  } else if (busy_) {
    ahead_.append(bytes);
  } else {
    read_requests(bytes);
  }
}

void Connection::read_requests(std::string_view bytes) {
  while (phase_ == Phase::open && !busy_ && !has_too_much_unsent()) {
    if (!reader_) {
      if (bytes.empty()) return;
      begin_request();
    }
    switch (reader_->feed(bytes)) {
      case RequestReader::Progress::more:
        return count_body();
      case RequestReader::Progress::head:
        admit_head(bytes);
        break;
      case RequestReader::Progress::whole:
        dispatch();
        break;
      case RequestReader::Progress::refused:
        refuse(reader_->refusal());
        break;
    }
  }
  if (phase_ == Phase::open) {
    ahead_.append(bytes);
  } else {
    unread_ = unread_ || !bytes.empty();
  }
}

void Connection::peer_ended() {
  peer_ended_ = true;
  if (phase_ != Phase::open || (stream_ && busy_)) return close();
  if (busy_) {
    keep_alive_ = false;
    if (const auto exchange = exchange_.lock()) exchange->disconnect().fire();
  } else if (reader_) {
    refuse(bad_request("The connection was closed in the middle of the request"));
  } else {
    phase_ = Phase::closing;
  }
}

// ---- Requests ----

void Connection::begin_request() {
  reader_ = loop_.borrow_reader();
  reader_->begin();
  deadline_ = later(now(), wire_.options.header_time);
}

void Connection::admit_head(std::string_view following) {
  if (!reader_->has_body()) return;
  const HttpRequest& request = reader_->request();
  const std::size_t limit = wire_.application.body_limit(request.method, request.target);
  const Framing& framing = reader_->framing();
  if (MaybeRefusal refusal = reader_->limit_body(limit)) return refuse(*refusal);
  const auto length = static_cast<std::size_t>(framing.content_length);
  if (MaybeRefusal refusal = check_memory(length)) return refuse(*refusal);
  charge(length);
  deadline_ = later(now(), wire_.options.body_time);
  if (framing.expects_continue && following.empty()) {
    outbox_.tail().append("HTTP/1.1 100 Continue\r\n\r\n");
  }
}

// A chunked body is counted as it grows.
void Connection::count_body() {
  const std::size_t bytes = reader_->request().body.size();
  if (bytes <= charged_) return;
  if (MaybeRefusal refusal = check_memory(bytes)) return refuse(*refusal);
  charge(bytes);
}

void Connection::dispatch() {
  HttpRequest request = std::move(reader_->request());
  http_1_1_ = reader_->framing().http_1_1;
  keep_alive_ = reader_->framing().keep_alive;
  end_reading();
  head_only_ = request.method == "HEAD";
  if (head_only_) request.method = "GET";
  request.peer = peer_;
  request.secure = channel_.secure();
  charge(request.body.size());
  busy_ = true;
  auto exchange =
      std::make_shared<WireExchange>(loop_.inbox(), weak_from_this(), std::move(request));
  exchange_ = exchange;
  WireExchange::dispatch(std::move(exchange), wire_.application);
}

void Connection::refuse(const Refusal& refusal) {
  HttpResponse response = wire_.application.refuse(refusal.code, refusal.detail);
  http_1_1_ = true;
  head_only_ = reader_->request().method == "HEAD";
  unread_ = true;
  keep_alive_ = false;
  end_reading();
  answer(std::move(response), {});
}

void Connection::end_reading() {
  loop_.return_reader(std::move(reader_));
  reader_ = nullptr;
  deadline_ = Moment::max();
}

// ---- Answers ----

bool Connection::keeps_alive() const { return keep_alive_ && !peer_ended_ && !wire_.draining; }

void Connection::answer(HttpResponse response, Written written) {
  const bool keep_alive = keeps_alive();
  append_head(outbox_.tail(), response,
              {.date = loop_.date(), .http_1_1 = http_1_1_, .keep_alive = keep_alive});
  const bool has_body = !response.content_type.empty() && may_have_body(response.status);
  if (has_body && !head_only_) outbox_.add(std::move(response.body));
  // Also detects a peer that has just left but was not reported yet.
  if (written && (peer_ended_ || channel_.has_peer_left())) {
    outbox_.when_written([written = std::move(written)](bool) { written(false); });
  } else {
    outbox_.when_written(std::move(written));
  }
  finish_exchange(keep_alive);
}

void Connection::begin_stream(const HttpResponse& head, std::shared_ptr<StreamBuffer> buffer) {
  stream_keeps_alive_ = keeps_alive() && http_1_1_;
  append_head(outbox_.tail(), head,
              {.date = loop_.date(),
               .http_1_1 = http_1_1_,
               .keep_alive = stream_keeps_alive_,
               .stream = true});
  stream_ = std::move(buffer);
  if (!head_only_ && !peer_ended_) return pump_stream();
  stream_->leave();
  stream_ = nullptr;
  finish_exchange(stream_keeps_alive_);
}

void Connection::pump_stream() {
  if (!stream_) return;
  const StreamBuffer::Taken taken = stream_->take();
  if (!taken.bytes.empty()) {
    if (http_1_1_) {
      append_chunk(outbox_.tail(), taken.bytes);
    } else {
      outbox_.tail().append(taken.bytes);
    }
    outbox_.when_written(
        [stream = stream_, size = taken.bytes.size()](bool) { stream->release(size); });
  }
  if (!taken.ended) return;
  if (http_1_1_) outbox_.tail().append(last_chunk);
  stream_ = nullptr;
  finish_exchange(stream_keeps_alive_);
}

void Connection::on_dropped() {
  if (peer_ended_) return close();
  answer(wire_.application.refuse("INTERNAL", "The request was not answered"), {});
}

void Connection::finish_exchange(bool keep_alive) {
  busy_ = false;
  exchange_.reset();
  charge(outbox_.bytes());
  if (keep_alive) {
    deadline_ = later(now(), wire_.options.idle_time);
  } else {
    unread_ = unread_ || !ahead_.empty();
    ahead_ = {};
    phase_ = Phase::closing;
  }
}

// ---- Writing ----

void Connection::proceed() {
  do {
    if (has_more_to_read()) {
      const std::string ahead = std::exchange(ahead_, {});
      read_requests(ahead);
    }
    flush();
  } while (has_more_to_read());
  wait_to_read();
}

void Connection::flush() {
  const std::size_t before = outbox_.bytes();
  if (phase_ == Phase::closed) return;
  if (before > 0) {
    const Io io = channel_.write(outbox_);
    if (io == Io::broken || io == Io::ended) return close();
    if (io == Io::wait_write) wait_to_write();
  }
  note_progress(before, outbox_.bytes());
}

void Connection::note_progress(std::size_t before, std::size_t after) {
  // No input could arrive in time while the connection was not read from.
  if (before > unsent_bytes_max && !has_too_much_unsent() && deadline_ != Moment::max()) {
    deadline_ = std::max(deadline_, later(now(), wire_.options.header_time));
  }
  if (after == 0) {
    write_deadline_ = Moment::max();
    if (!busy_ && !reader_) charge(0);
    if (phase_ == Phase::closing) end_sending();
  } else if (after < before || write_deadline_ == Moment::max()) {
    write_deadline_ = later(now(), wire_.options.write_time);
  }
}

void Connection::wait_to_write() {
  if (writing_) return;
  writing_ = true;
  socket_.async_wait(Socket::wait_write,
                     [self = shared_from_this()](const boost::system::error_code&) {
                       self->writing_ = false;
                       // TLS may have needed this write to read.
                       self->on_readable();
                     });
}

void Connection::end_sending() {
  channel_.finish();
  if (peer_ended_ || (wire_.draining && !unread_)) return close();
  phase_ = Phase::lingering;
  deadline_ = later(now(), wire_.options.linger_time);
  linger_left_ = wire_.options.linger_bytes;
}

// ---- Ends ----

void Connection::expire(Moment time) {
  if (time >= write_deadline_) return close();
  if (time < deadline_ || has_too_much_unsent()) return;
  if (phase_ == Phase::open && reader_) {
    refuse({"REQUEST_TIMEOUT", "The request took too long to arrive"});
    return proceed();
  }
  if (phase_ == Phase::open) channel_.finish();
  close();
}

void Connection::close_if_idle() {
  if (phase_ == Phase::lingering && !unread_) return close();
  if (phase_ == Phase::handshake) return close();
  if (phase_ != Phase::open || busy_ || reader_ || !outbox_.empty()) return;
  channel_.finish();
  close();
}

void Connection::close() {
  if (phase_ == Phase::closed) return;
  const auto self = shared_from_this();
  phase_ = Phase::closed;
  if (reader_) end_reading();
  charge(0);
  boost::system::error_code ignored;
  socket_.close(ignored);
  loop_.remove(*this);
  if (stream_) stream_->leave();
  if (const auto exchange = exchange_.lock()) exchange->disconnect().fire();
  outbox_.drop();
}

// ---- The wire's limit ----

void Connection::charge(std::size_t bytes) {
  if (bytes == charged_) return;
  wire_.in_flight_bytes.fetch_add(bytes - charged_, std::memory_order_relaxed);
  charged_ = bytes;
}

MaybeRefusal Connection::check_memory(std::size_t bytes) const {
  if (bytes <= always_admitted_bytes) return {};
  const std::size_t others = wire_.in_flight_bytes.load(std::memory_order_relaxed) - charged_;
  if (others + bytes <= wire_.options.in_flight_bytes) return {};
  return Refusal{"OVERLOADED", "Too many large requests are in progress; retry later"};
}

}  // namespace longshore::wire
