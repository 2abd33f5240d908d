// Which queues and types have a limit of running jobs. The store enforces the limits; the
// dispatcher only needs to know for which of them a job that ends makes room for another.
#pragma once

#include <map>
#include <set>
#include <string>

#include "longshore/command.h"

namespace longshore {

class RunningLimits {
 public:
  explicit RunningLimits(const Configure& rules);

  bool empty() const { return queues_.empty() && types_.empty(); }
  bool has_queue(const std::string& ns, const std::string& queue) const;
  bool has_type(const std::string& ns, const std::string& type) const;

 private:
  using Names = std::map<std::string, std::set<std::string>>;  // by namespace

  Names queues_;
  Names types_;
};

}  // namespace longshore
