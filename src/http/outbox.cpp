#include "http/outbox.h"

#include <algorithm>
#include <utility>

namespace longshore::wire {
namespace {

constexpr std::size_t small_bytes = 8 * 1024;  // smaller pieces are copied together, to send fewer
constexpr std::size_t piece_bytes_max = 64 * 1024;

}  // namespace

std::string& Outbox::begin_piece(std::string piece) {
  if (!pieces_.empty()) full_ += pieces_.back().size();
  pieces_.push_back(std::move(piece));
  return pieces_.back();
}

std::string& Outbox::tail() {
  if (pieces_.empty() || pieces_.back().size() > piece_bytes_max) begin_piece({}).reserve(512);
  return pieces_.back();
}

void Outbox::add(std::string piece) {
  if (piece.size() <= small_bytes) {
    tail().append(piece);
  } else {
    begin_piece(std::move(piece));
  }
}

void Outbox::when_written(Written written) {
  if (written) marks_.push_back({sent_ + bytes(), std::move(written)});
}

std::size_t Outbox::bytes() const {
  return pieces_.empty() ? 0 : full_ + pieces_.back().size() - front_sent_;
}

int Outbox::gather(iovec* parts, int most) const {
  int count = 0;
  std::size_t skip = front_sent_;
  for (const std::string& piece : pieces_) {
    if (count == most) break;
    if (piece.size() == skip) continue;
    // writev does not modify the data.
    parts[count++] = {const_cast<char*>(piece.data()) + skip, piece.size() - skip};  // NOLINT
    skip = 0;
  }
  return count;
}

void Outbox::sent(std::size_t bytes) {
  sent_ += bytes;
  front_sent_ += bytes;
  std::size_t whole = 0;
  while (whole < pieces_.size() && front_sent_ >= pieces_[whole].size()) {
    const std::size_t size = pieces_[whole++].size();
    front_sent_ -= size;
    if (whole < pieces_.size()) full_ -= size;
  }
  pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(whole));
  const auto reached = [this](const Mark& mark) { return mark.end <= sent_; };
  const auto waiting = std::find_if_not(marks_.begin(), marks_.end(), reached);
  std::vector<Mark> told(std::make_move_iterator(marks_.begin()), std::make_move_iterator(waiting));
  marks_.erase(marks_.begin(), waiting);
  for (Mark& mark : told) mark.written(true);
}

void Outbox::drop() {
  pieces_.clear();
  full_ = 0;
  front_sent_ = 0;
  for (Mark& mark : std::exchange(marks_, {})) mark.written(false);
}

}  // namespace longshore::wire
