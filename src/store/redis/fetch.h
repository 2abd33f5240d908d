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
    std::vector<std::string> elements;
  };
  struct Shelf {
    bool complete = false;  // there are no lists but these
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
