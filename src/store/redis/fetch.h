// Asks Redis what a batch of commands has to know of one namespace.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "longshore/error.h"
#include "longshore/job.h"
#include "store/redis/channel.h"
#include "store/redis/codec.h"
#include "store/redis/keys.h"

namespace longshore::redis {

struct Question {
  struct Wish {
    std::string queue;
    std::optional<std::vector<std::string>> types;
    int from = 0;  // no lists of lower priorities
    std::int64_t limit = 0;
    bool bare = false;  // the jobs of a list's elements are not wanted
  };

  std::optional<Instant> now;      // instead of the server's time
  std::int64_t config_known = -1;  // whose rules need not be sent
  std::vector<JobId> ids;
  std::vector<std::string> once;      // once_name()
  std::vector<std::string> job_keys;  // job_key_name()
  std::vector<RequestId> claims;
  std::vector<Wish> wishes;
  bool counts = false;
  // Limited types, and how many running jobs of each leave no room for another.
  std::vector<std::pair<std::string, std::int64_t>> limits = {};
};

struct Answer {
  struct StoredJob {
    std::int64_t v = 0;
    Head head;
  };
  // One list of ready jobs, from its head.
  struct Row {
    ReadyList list;
    bool more = false;  // there are others behind these
    bool full = false;  // nothing of it was fetched: no more jobs of its type may run
    std::vector<std::string> elements;
    std::string marks;  // '1' for each element that is stale, else '0'; empty: none is

    bool is_stale(std::size_t i) const { return i < marks.size() && marks[i] == '1'; }
  };
  struct Shelf {
    bool complete = false;  // there are no lists but these
    bool cut = false;       // so many elements were stale that the look ended before the limit
    std::vector<Row> rows;
  };

  Instant now;
  std::int64_t clock = 0;                                    // Redis's own, in microseconds
  std::int64_t seq = 0;                                      // the last number given out
  std::int64_t config = 0;                                   // version
  std::optional<std::pair<std::string, std::string>> rules;  // and pauses; none: as known
  std::vector<StoredJob> jobs;
  // One for each asked, in order.
  std::vector<std::optional<std::string>> once;
  std::vector<std::vector<std::string>> job_keys;  // the latest two: id, score, id, score
  std::vector<std::vector<JobId>> claims;
  std::vector<Shelf> shelves;
  std::map<std::string, std::int64_t> counts;
};

// `usual`: the policy that is not written out.
Result<Answer> fetch(Channel& channel, const Keys& keys, const std::string& ns,
                     const Question& question, const Policy& usual);

}  // namespace longshore::redis
