// One connection: reads requests, has them answered one after the other, writes the answers.
//
// It waits for the socket to become readable or writable and then tries, so that an idle one owns
// no buffer. It reads also while a request is being answered, to see the other side leave, but not
// while the other side leaves too many answers unread: pipelined requests then wait in its socket.
//
// The end of what the other side sends counts as leaving: TCP does not tell a client that has
// closed from one that merely sends no more. Whoever works on a request is told so at once and may
// stop. An answer that comes all the same is sent, for the benefit of the rare client that only
// half closed, but reported as not written, because nobody knows whether it was read.
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

// Used on its loop's thread alone.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Loop& loop, Socket socket, Channel channel, std::string peer);

  void start();
  // Instead of start(): answers that there are too many connections, and ends.
  void turn_away();
  // Sends what there is to send, goes on with what was read ahead, and waits for more. To be
  // called after anything below.
  void proceed();

  // For the exchange in progress.
  void answer(HttpResponse response, Written written);
  void begin_stream(const HttpResponse& head, std::shared_ptr<StreamBuffer> buffer);
  void pump_stream();
  void dropped();

  // Ends whatever has taken too long. Needs no proceed().
  void expire(Moment time);
  // Ends an idle connection. Needs no proceed().
  void retire();
  // Ends it at once.
  void shut();
  bool is_shut() const { return phase_ == Phase::shut; }

  // The loop's own notes.
  std::size_t place = 0;
  bool counts = true;

 private:
  enum class Phase {
    handshake,
    open,
    closing,    // when everything is sent, that was it
    lingering,  // everything is sent, and what still comes is thrown away
    shut,
  };

  // Reading.
  void on_readable();
  bool shake_hands();
  void receive();
  void take(std::string_view bytes);
  void read_requests(std::string_view bytes);
  bool wants_input() const;
  bool is_choked() const;  // too much waits to be sent
  bool has_more_to_read() const;
  void wait_to_read();
  void peer_ended();

  // Requests.
  void begin_request();
  void admit_head(std::string_view following);
  void count_body();
  void hand_over();
  void refuse(const Refusal& refusal);
  void end_reading();

  // Writing.
  bool keeps_alive() const;
  void end_turn(bool keep_alive);
  void flush();
  void note_progress(std::size_t before, std::size_t after);
  void wait_to_write();
  void end_sending();

  // Counts what this connection holds towards the wire's limit.
  void charge(std::size_t bytes);
  MaybeRefusal check_room(std::size_t bytes) const;

  Loop& loop_;
  Wire& wire_;
  Socket socket_;
  Channel channel_;
  std::string peer_;

  Phase phase_ = Phase::open;
  bool reading_ = false;     // waits until it can read
  bool writing_ = false;     // waits until it can write
  bool peer_ended_ = false;  // will send no more
  bool unread_ = false;      // there may be input that nobody will read
  bool busy_ = false;        // a request is with the application
  // Of the request in progress.
  bool http_1_1_ = true;
  bool keep_alive_ = true;
  bool head_only_ = false;
  bool stream_keeps_alive_ = false;

  Moment deadline_ = Moment::max();        // for the other side to send something, by phase
  Moment write_deadline_ = Moment::max();  // to take something
  std::size_t charged_ = 0;
  std::size_t linger_left_ = 0;

  std::unique_ptr<RequestReader> reader_;  // while a request is arriving
  std::string ahead_;                      // what came after the request in progress
  std::weak_ptr<WireExchange> exchange_;   // in progress; the application owns it
  std::shared_ptr<StreamBuffer> stream_;   // in progress; the application's handle owns it too
  Outbox outbox_;
};

}  // namespace longshore::wire
