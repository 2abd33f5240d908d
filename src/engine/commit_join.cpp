// Merges joining commands into a batch, each at its position.
#include <algorithm>
#include <utility>

#include "engine/commit_queue.h"

namespace longshore {

void CommitQueue::Batch::join(std::vector<Joining>&& joining) {
  if (joining.empty()) return;
  std::ranges::stable_sort(joining, {}, &Joining::before);
  Batch all;
  all.reserve(commands.size() + joining.size());
  auto next = joining.begin();
  for (std::size_t i = 0; i <= commands.size(); ++i) {
    const bool at_end = i == commands.size();
    for (; next != joining.end() && (at_end || next->before == i); ++next) {
      all.add(std::move(next->entry));
    }
    if (!at_end) all.add({std::move(commands[i]), std::move(answers[i])});
  }
  *this = std::move(all);
}

}  // namespace longshore
