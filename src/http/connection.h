// One connection: reads requests, has the application answer them one after the other, and writes
// the responses.
//
// It waits until the socket is readable or writable and then tries, so that an idle connection owns
// no buffer. It also reads while a request is being processed, to detect a disconnect, but not
// while too many responses are unread: pipelined requests then wait in the socket.
//
// End of input counts as a disconnect: TCP cannot tell a closed client from one that sends no more.
// The application is notified at once and may stop. A response that follows is still sent, for the
// rare client that has only half closed, but reported as not written, since it may not have been
// read.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "http/channel.h"
#include "http/loop.h"
#include "http/outbox.h"
#include "http/parse/request_reader.h"
#include "http/stream_buffer.h"
#include "http/wire.h"

namespace longshore::wire {

class WireExchange;

// Used only on its loop's thread.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Loop& loop, Socket socket, Channel channel, std::string peer);

  void start();
  // Instead of start(): responds that there are too many connections, and closes.
  void reject();
  // Sends pending data, continues with requests that were read ahead, and waits for more. Call it
  // after any function below.
  void proceed();

  // For the exchange in progress.
  void answer(HttpResponse response, Written written);
  void begin_stream(const HttpResponse& head, std::shared_ptr<StreamBuffer> buffer);
  void pump_stream();
  void on_dropped();

  // Ends what has timed out. Needs no proceed().
  void expire(Moment time);
  // Closes an idle connection. Needs no proceed().
  void close_if_idle();
  // Closes it at once.
  void close();
  bool is_closed() const { return phase_ == Phase::closed; }

  // Used by the loop.
  std::size_t place = 0;
  bool counts = true;

 private:
  enum class Phase {
    handshake,
    open,
    closing,    // closes when everything is sent
    lingering,  // everything is sent; further input is discarded
    closed,
  };

  // Reading.
  void on_readable();
  bool handshake();
  void receive();
  void take(std::string_view bytes);
  void read_requests(std::string_view bytes);
  bool wants_input() const;
  bool has_too_much_unsent() const;  // too much is waiting to be sent
  bool has_more_to_read() const;
  void wait_to_read();
  void peer_ended();

  // Requests.
  void begin_request();
  void admit_head(std::string_view following);
  void count_body();
  void dispatch();
  void refuse(const Refusal& refusal);
  void end_reading();

  // Writing.
  bool keeps_alive() const;
  void finish_exchange(bool keep_alive);
  void flush();
  void note_progress(std::size_t before, std::size_t after);
  void wait_to_write();
  void end_sending();

  // Counts the memory of this connection towards the server's limit.
  void charge(std::size_t bytes);
  MaybeRefusal check_memory(std::size_t bytes) const;

  Loop& loop_;
  Wire& wire_;
  Socket socket_;
  Channel channel_;
  std::string peer_;

  Phase phase_ = Phase::open;
  bool reading_ = false;     // waits until it can read
  bool writing_ = false;     // waits until it can write
  bool peer_ended_ = false;  // will send no more
  bool unread_ = false;      // there may be input that will not be read
  bool busy_ = false;        // the application is processing a request
  // The request in progress.
  bool http_1_1_ = true;
  bool keep_alive_ = true;
  bool head_only_ = false;
  bool stream_keeps_alive_ = false;

  Moment deadline_ = Moment::max();        // for the peer to send something, by phase
  Moment write_deadline_ = Moment::max();  // for the peer to receive something
  std::size_t charged_ = 0;
  std::size_t linger_left_ = 0;

  std::unique_ptr<RequestReader> reader_;  // while a request is arriving
  std::string ahead_;                      // input after the request in progress
  std::weak_ptr<WireExchange> exchange_;   // in progress; the application owns it
  std::shared_ptr<StreamBuffer> stream_;   // in progress; the application's handle owns it too
  Outbox outbox_;
};

}  // namespace longshore::wire
