#include "store/redis/lane.h"

#include <poll.h>

#include <algorithm>
#include <utility>

namespace longshore::redis {
namespace {

constexpr int first_pause_millis = 10;
constexpr int doublings_max = 5;

}  // namespace

void pause_for(int millis) { ::poll(nullptr, 0, millis); }

Result<Link*> Lane::link(const Address& address) {
  std::unique_ptr<Link>& link = links_[address];
  if (link && link->usable()) return link.get();
  link.reset();
  int& failures = failures_[address];
  if (failures > 0) pause_for(first_pause_millis << std::min(failures - 1, doublings_max));
  auto opened = Link::open(url_, address, tls_);
  if (!opened) {
    ++failures;
    return opened.error();
  }
  failures = 0;
  ++tally_.connected;
  link = std::move(*opened);
  return link.get();
}

Witness& Lane::witness(std::string_view tag) {
  const auto found = witnesses_.find(tag);
  if (found != witnesses_.end()) return found->second;
  return witnesses_[std::string(tag)];
}

Lanes::Lanes(const Url& url, const TlsContext* tls, Tally& tally) {
  for (int i = 0; i < url.lanes; ++i) {
    lanes_.push_back(std::make_unique<Lane>(url, tls, tally, i));
    free_.push_back(lanes_.back().get());
  }
}

Lane& Lanes::take() {
  MutexLock lock(mutex_);
  // The predicate runs with the mutex held; the checker cannot see that.
  freed_.wait(mutex_, [this] {
    mutex_.assert_held();
    return !free_.empty();
  });
  Lane& lane = *free_.front();
  free_.pop_front();
  return lane;
}

void Lanes::give_back(Lane& lane) {
  MutexLock lock(mutex_);
  // The one used last goes first: in quiet times few connections do all the work.
  free_.push_front(&lane);
  freed_.notify_one();
}

}  // namespace longshore::redis
