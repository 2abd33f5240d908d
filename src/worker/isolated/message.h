// The binary messages between the worker and a handler process. Both run the same program, so the
// format needs no versions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "longshore/command.h"
#include "longshore/context.h"
#include "longshore/time.h"

namespace longshore {

// The first byte of a message.
enum class MessageKind : char {
  job = 'j',         // to the process: run this job
  stop = 's',        // ... stop, with a StopReason
  stopping = 'w',    // ... the worker is stopping
  saved = 'a',       // ... the result of saving a checkpoint
  report = 'r',      // from the process: progress and log lines
  checkpoint = 'c',  // ... to be saved; the worker replies with `saved`
  ending = 'e',      // ... the job has ended
};

class Packer {
 public:
  explicit Packer(MessageKind kind) : out_(1, static_cast<char>(kind)) {}
  void number(std::int64_t number);
  void real(double number);
  void text(std::string_view text);
  void maybe_text(const std::optional<std::string>& text);
  void maybe_length(const std::optional<Duration>& length);
  // Prefixed with its length, ready to send.
  std::string take() const;

 private:
  std::string out_;
};

class Unpacker {
 public:
  // Reads a whole message without its length. The message must outlive this.
  explicit Unpacker(std::string_view message) : rest_(message.substr(1)) {}
  std::int64_t number();
  double real();
  std::string text();
  std::optional<std::string> maybe_text();
  std::optional<Duration> maybe_length();

 private:
  std::string_view rest_;
};

void pack(Packer& to, const Lease& lease);
Lease unpack_lease(Unpacker& from);
void pack(Packer& to, const Ending& ending);
Ending unpack_ending(Unpacker& from);

// Splits a stream of bytes into messages.
class MessageStream {
 public:
  void add(std::string_view bytes) { bytes_ += bytes; }
  // The next complete message without its length; nothing if it is incomplete.
  std::optional<std::string> next();

 private:
  std::string bytes_;
};

// Blocks until everything is sent. False if the peer has closed the socket.
bool send_all(int socket, std::string_view bytes);

}  // namespace longshore
