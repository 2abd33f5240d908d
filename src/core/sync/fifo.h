// A queue in one block of memory. A std::deque allocates a block for every large item, and if one
// thread pushes and another pops, each block is freed by a thread that did not allocate it.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace longshore {

template <class Item>
class Fifo {
 public:
  bool empty() const { return first_ == items_.size(); }
  std::size_t size() const { return items_.size() - first_; }

  void push(Item item) { items_.push_back(std::move(item)); }
  // REQUIRES: not empty.
  Item pop() {
    Item item = std::move(items_[first_++]);
    if (empty()) {
      items_.clear();
      first_ = 0;
    } else if (first_ > size() + gap_max) {
      close_gap();
    }
    return item;
  }

  // In order.
  auto begin() const { return items_.begin() + static_cast<std::ptrdiff_t>(first_); }
  auto end() const { return items_.end(); }
  auto begin() { return items_.begin() + static_cast<std::ptrdiff_t>(first_); }
  auto end() { return items_.end(); }

 private:
  static constexpr std::size_t gap_max = 64;

  void close_gap() {
    items_.erase(items_.begin(), begin());
    first_ = 0;
  }

  std::vector<Item> items_;
  std::size_t first_ = 0;  // earlier ones were popped
};

}  // namespace longshore
