#include "store/redis/walks.h"

#include <algorithm>
#include <utility>

#include "core/ids/uuid.h"
#include "store/redis/survey.h"

namespace longshore::redis {
namespace {

// However well it is proved to hold: what nobody has thought of goes wrong for so long at most.
constexpr Duration walked_for = Duration::minutes(1);
// Nodes may differ by less in what they take for the store's time.
constexpr Duration prune_margin = Duration::minutes(1);
// Ids that were made later may still come in between: a stretch begins behind them.
constexpr Duration settled_after = Duration::seconds(1);
constexpr std::size_t live_max = 10'000;

bool is_live(const std::optional<Head>& head) { return head && !is_terminal(head->job.state); }

}  // namespace

std::shared_ptr<const Walked> Walks::find(const std::string& ns) {
  MutexLock lock(mutex_);
  const auto found = walked_.find(ns);
  return found == walked_.end() ? nullptr : found->second;
}

void Walks::put(const std::string& ns, std::shared_ptr<const Walked> walked) {
  MutexLock lock(mutex_);
  const Instant now = walked->at;
  std::erase_if(walked_, [&](const auto& each) { return each.second->at + walked_for < now; });
  walked_[ns] = std::move(walked);
}

void Walks::forget(const std::string& ns) {
  MutexLock lock(mutex_);
  walked_.erase(ns);
}

Result<bool> LiveWalk::still_holds(const Walked& walked) const {
  if (walked.went_back != start_.went_back) return false;
  if (walked.at + walked_for < start_.now) return false;
  if (start_.now + prune_margin >= walked.prune_from) return false;
  const auto replies = reader_.read({{"ZLEXCOUNT", reader_.keys().one("jobs"),
                                      "[" + to_text(walked.bottom), "[" + to_text(walked.top)}});
  if (!replies) return replies.error();
  return read_integer((*replies)[0]) == walked.count;
}

Result<Nothing> LiveWalk::begin() {
  begun_ = true;
  grows_ = !before_;
  const auto walked = walks_.find(start_.ns);
  if (!walked) return Nothing{};
  const auto holds = still_holds(*walked);
  if (!holds) return holds.error();
  if (!*holds) return Nothing{};
  if (before_ && *before_ <= walked->bottom) return Nothing{};
  known_ = walked;
  place_ = Place::ahead;
  if (!before_ || *before_ > walked->top) return Nothing{};
  // This walk goes on in the middle of it.
  grows_ = true;
  const auto behind = [&](const JobId& id) { return id < *before_; };
  const auto first = std::ranges::find_if(walked->live, behind);
  enter_known(static_cast<std::size_t>(first - walked->live.begin()));
  return Nothing{};
}

// With the live jobs before `first`, which this walk does not come to.
void LiveWalk::enter_known(std::size_t first) {
  place_ = Place::within;
  asked_ = noted_ = first;
  if (!grows_) return;
  merged_ = true;
  const auto passed = known_->live.begin() + static_cast<std::ptrdiff_t>(first);
  if (!seen_) {
    seen_ = *known_;
    seen_->live.assign(known_->live.begin(), passed);
    return;
  }
  seen_->bottom = known_->bottom;
  seen_->count += known_->count;
  seen_->prune_from = std::min(seen_->prune_from, known_->prune_from);
  seen_->at = std::min(seen_->at, known_->at);
}

std::vector<JobId> LiveWalk::known_page(std::size_t limit) {
  const auto from = known_->live.begin() + static_cast<std::ptrdiff_t>(asked_);
  const std::size_t some = std::min(limit, known_->live.size() - asked_);
  asked_ += some;
  return {from, from + static_cast<std::ptrdiff_t>(some)};
}

Result<std::vector<JobId>> LiveWalk::next(std::int64_t limit) {
  if (!begun_) {
    if (const auto done = begin(); !done) return done.error();
  }
  if (place_ == Place::next) enter_known(0);
  if (place_ == Place::within) {
    auto page = known_page(static_cast<std::size_t>(limit));
    if (!page.empty()) return page;
    before_ = known_->bottom;
    place_ = Place::none;
  }
  auto ids = reader_.ids_backwards(before_ ? &*before_ : nullptr, limit);
  if (!ids || ids->empty()) return ids;
  before_ = ids->back();
  if (place_ != Place::ahead || *before_ > known_->top) return ids;
  place_ = Place::next;
  std::erase_if(*ids, [&](const JobId& id) { return id <= known_->top; });
  return ids->empty() ? next(limit) : std::move(ids);
}

void LiveWalk::note(const JobId& id, const std::optional<Head>& head) {
  if (!grows_) return;
  if (place_ == Place::within) {
    ++noted_;
    // As many ids as before, and one has gone: another must have come.
    lapsed_ = lapsed_ || !head;
    return add(id, head);
  }
  if (!seen_) {
    if (time_of(id) + settled_after > start_.now) return;
    seen_ = Walked{.top = id, .bottom = id, .at = start_.now, .went_back = start_.went_back};
  }
  seen_->bottom = id;
  seen_->count += 1;
  add(id, head);
  grows_ = seen_->live.size() < live_max;
}

void LiveWalk::add(const JobId& id, const std::optional<Head>& head) {
  if (is_live(head)) {
    seen_->live.push_back(id);
  } else if (head && head->job.prune_after) {
    seen_->prune_from = std::min(seen_->prune_from, *head->job.prune_after);
  }
}

void LiveWalk::keep() {
  // A walk that ended before it came to what is known would only make that smaller.
  const bool is_behind = place_ == Place::ahead || place_ == Place::next;
  if (!seen_ || (is_behind && known_->count > seen_->count)) return;
  if (lapsed_) return walks_.forget(start_.ns);
  if (place_ == Place::within && merged_) {
    const auto rest = known_->live.begin() + static_cast<std::ptrdiff_t>(noted_);
    seen_->live.insert(seen_->live.end(), rest, known_->live.end());
  }
  walks_.put(start_.ns, std::make_shared<const Walked>(std::move(*seen_)));
}

}  // namespace longshore::redis
