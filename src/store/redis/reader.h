// Reads one namespace, for people and for proofs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "longshore/error.h"
#include "longshore/id.h"
#include "store/redis/channel.h"
#include "store/redis/keys.h"

namespace longshore::redis {

class Reader {
 public:
  // The channel must outlive it.
  Reader(Channel& channel, const Keys& keys) : channel_(channel), keys_(keys) {}

  const Keys& keys() const { return keys_; }

  // The replies in order, none of them an error.
  Result<std::vector<Reply>> read(const std::vector<Words>& calls) const;

  // Hands every job's fields to `visit`, in the order of ids, until it returns false. A job that
  // goes meanwhile is left out.
  Result<Nothing> each_job(const std::vector<std::string>& fields,
                           const std::function<bool(const JobId&, const Reply&)>& visit) const;

  // The ids behind `after` (null: from the first), in order.
  Result<std::vector<JobId>> ids(const JobId* after, std::int64_t limit) const;
  // The ids before `before` (null: from the last), in reverse order.
  Result<std::vector<JobId>> ids_backwards(const JobId* before, std::int64_t limit) const;
  // The same fields of these jobs, in order.
  Result<std::vector<Reply>> fields(const std::vector<JobId>& ids,
                                    const std::vector<std::string>& fields) const;

 private:
  Channel& channel_;
  Keys keys_;
};

// The namespaces of the store.
Result<std::vector<std::string>> read_namespaces(Channel& channel);

}  // namespace longshore::redis
