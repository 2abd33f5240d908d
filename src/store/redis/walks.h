// What lists of jobs that have not ended remember of each other. No index has all these jobs in the
// order of their ids, so a list walks through all jobs, newest first; whoever cancels very many a
// part at a time would walk through everything that the parts before have ended, again and again.
//
// A job that has ended stays so. So of a stretch of ids that was walked through a moment ago, only
// those are looked at again that had not ended, if the stretch still has as many ids as it had:
// then none has come that was made late, since none of those that had ended may be pruned yet.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/sync/mutex.h"
#include "longshore/id.h"
#include "longshore/time.h"
#include "store/redis/codec.h"
#include "store/redis/reader.h"

namespace longshore::redis {

struct Walked {
  JobId top, bottom;                      // the newest and the oldest id, both within
  std::int64_t count = 0;                 // how many ids there were
  std::vector<JobId> live = {};           // of them, jobs that had not ended; newest first
  Instant prune_from = Instant::never();  // none of them is pruned before
  Instant at;                             // the store's time when the first of it was looked at
  std::int64_t went_back = 0;             // Counts::went_back at that time
};

// Of each namespace the latest. Safe to share between threads.
class Walks {
 public:
  std::shared_ptr<const Walked> find(const std::string& ns);
  void put(const std::string& ns, std::shared_ptr<const Walked> walked);
  void forget(const std::string& ns);

 private:
  Mutex mutex_;
  std::map<std::string, std::shared_ptr<const Walked>> walked_ LONGSHORE_GUARDED_BY(mutex_);
};

// The ids of a namespace from behind `before`, newest first, without those that have ended as far
// as that is known. Used by one list.
class LiveWalk {
 public:
  struct Start {
    std::string ns;
    std::optional<JobId> before;
    Instant now;                 // the store's time
    std::int64_t went_back = 0;  // as of Counts
  };
  // The first two must outlive it.
  LiveWalk(Walks& walks, const Reader& reader, Start start)
      : walks_(walks), reader_(reader), start_(std::move(start)), before_(start_.before) {}

  // Empty at the end.
  Result<std::vector<JobId>> next(std::int64_t limit);
  // What has become of an id that next() answered; none: there is no such job any more. In order;
  // who leaves off in the middle of a page says nothing of the rest.
  void note(const JobId& id, const std::optional<Head>& head);
  // For the lists that come later.
  void keep();

 private:
  Result<Nothing> begin();
  Result<bool> still_holds(const Walked& walked) const;
  void enter_known(std::size_t first);
  std::vector<JobId> known_page(std::size_t limit);
  void add(const JobId& id, const std::optional<Head>& head);

  Walks& walks_;
  const Reader& reader_;
  const Start start_;
  std::optional<JobId> before_;
  bool begun_ = false;

  // What was walked through before: ahead of this walk, or being gone through.
  enum class Place { none, ahead, next, within };
  Place place_ = Place::none;
  std::shared_ptr<const Walked> known_;
  std::size_t asked_ = 0;  // of its live jobs, those that next() answered
  std::size_t noted_ = 0;  // and those that note() was told of

  std::optional<Walked> seen_;  // what those that come later may pass over
  bool grows_ = true;           // at its bottom, as this walk goes on
  bool merged_ = false;         // it has all of what was known
  bool lapsed_ = false;         // what was known is not so any more
};

}  // namespace longshore::redis
