// What the worker and a handler's process say to each other, as bytes. Both are the same program,
// so nothing here needs to be understood by another version.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "longshore/command.h"
#include "longshore/context.h"
#include "longshore/time.h"

namespace longshore {

// The first byte of a parcel.
enum class ParcelKind : char {
  job = 'j',         // to the process: run this
  stop = 's',        // ... a StopReason: give up
  stopping = 'w',    // ... the worker wants to stop
  saved = 'a',       // ... what became of a checkpoint
  report = 'r',      // from the process: progress and log lines
  checkpoint = 'c',  // ... to be saved, and answered
  ending = 'e',      // ... the job is done
};

class Packer {
 public:
  explicit Packer(ParcelKind kind) : out_(1, static_cast<char>(kind)) {}
  void number(std::int64_t number);
  void real(double number);
  void text(std::string_view text);
  void maybe_text(const std::optional<std::string>& text);
  void maybe_length(const std::optional<Duration>& length);
  // With its length before it, ready to be sent.
  std::string take() const;

 private:
  std::string out_;
};

class Unpacker {
 public:
  // Of a whole parcel without its length, which must outlive this.
  explicit Unpacker(std::string_view parcel) : rest_(parcel.substr(1)) {}
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

// Parcels out of a stream of bytes.
class Parcels {
 public:
  void add(std::string_view bytes) { bytes_ += bytes; }
  // The next whole one, without its length; nothing if it has not all come.
  std::optional<std::string> next();

 private:
  std::string bytes_;
};

// Blocks until all is sent. False if nobody is there any more.
bool send_all(int socket, std::string_view bytes);

}  // namespace longshore
