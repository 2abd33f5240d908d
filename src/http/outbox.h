// The unsent output of a connection, and the callbacks for when it is sent.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace longshore::wire {

using Written = std::function<void(bool)>;

// Not safe to share between threads. Small pieces are merged; large ones are not copied.
class Outbox {
 public:
  // The buffer for the next small piece: append to it. Valid until the next call.
  std::string& tail();
  void add(std::string piece);
  // `written` is called with true when everything added so far has been sent, or with false by
  // drop(). It may be empty.
  void when_written(Written written);

  bool empty() const { return bytes() == 0; }
  std::size_t bytes() const;

  // Points up to `most` of `parts` at the next data to send; returns how many.
  int gather(iovec* parts, int most) const;
  // This many bytes have been sent. Calls the callbacks that are due.
  void sent(std::size_t bytes);
  // Nothing more will be sent.
  void drop();

 private:
  std::string& begin_piece(std::string piece);

  struct Mark {
    std::uint64_t end;  // counted from the first byte of the connection
    Written written;
  };

  std::vector<std::string> pieces_;  // none is empty, except an unused tail
  std::size_t full_ = 0;             // bytes of all pieces but the last, which may still grow
  std::size_t front_sent_ = 0;       // of the first piece
  std::uint64_t sent_ = 0;           // total of the connection
  std::vector<Mark> marks_;
};

}  // namespace longshore::wire
