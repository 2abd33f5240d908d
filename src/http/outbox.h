// What a connection has still to send, and who wants to know when it is sent.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace longshore::wire {

using Written = std::function<void(bool)>;

// Not safe to share between threads. Small pieces are gathered into one, large ones are not copied.
class Outbox {
 public:
  // Where the next small piece goes: append to it. Good until the next call of anything here.
  std::string& tail();
  void add(std::string piece);
  // `written` is called with true when everything added so far has been sent, or with false by
  // drop(). It may be empty.
  void when_written(Written written);

  bool empty() const { return bytes() == 0; }
  std::size_t bytes() const;

  // Points up to `most` of `parts` at what is next to be sent; answers how many.
  int gather(iovec* parts, int most) const;
  // So many bytes have been sent. Calls whom that concerns.
  void sent(std::size_t bytes);
  // Nothing more will be sent.
  void drop();

 private:
  std::string& begin_piece(std::string piece);

  struct Mark {
    std::uint64_t end;  // counted from the connection's first byte
    Written written;
  };

  std::vector<std::string> pieces_;  // none is empty, but for a tail nobody appended to
  std::size_t full_ = 0;             // bytes of all pieces but the last, which may still grow
  std::size_t front_sent_ = 0;       // of the first piece
  std::uint64_t sent_ = 0;           // of all there ever was
  std::vector<Mark> marks_;
};

}  // namespace longshore::wire
