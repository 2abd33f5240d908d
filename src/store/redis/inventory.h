// Everything that stands in a namespace besides its jobs, crossed out job by job. What is left at
// the end belongs to nobody.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "longshore/catalog.h"
#include "longshore/rules.h"
#include "store/redis/reader.h"
#include "store/redis/whereabouts.h"

namespace longshore::redis {

class Inventory {
 public:
  // Both must outlive it.
  Inventory(const std::string& ns, const Rules& rules) : ns_(ns), rules_(rules) {}

  // inventory_read.cpp
  Result<Nothing> read(const Reader& reader);

  // Compares the places of one job with where it should stand.
  void check(const JobRecord& record, std::vector<Finding>& findings);
  // What no job has claimed, and what does not add up.
  void check_rest(std::vector<Finding>& findings);

 private:
  struct Bound {
    JobId job;
    bool outlives = false;  // its job is gone
  };

  Result<Nothing> read_sets(const Reader& reader);
  Result<Nothing> read_names(const Reader& reader);
  Result<Nothing> read_lists(const Reader& reader, const std::vector<std::string>& lists);
  Result<Nothing> read_keys(const Reader& reader, const std::vector<std::string>& keys,
                            const std::vector<std::string>& once, const std::vector<JobId>& hashes);

  void check_times(const Job& job, const Whereabouts& there, std::vector<Finding>& findings);
  void check_ready(const Job& job, const Whereabouts& there, std::vector<Finding>& findings);
  void check_keys(const Job& job, const Whereabouts& there, std::vector<Finding>& findings);
  void check_lists(std::vector<Finding>& findings);
  void check_counts(std::vector<Finding>& findings);

  const std::string& ns_;
  const Rules& rules_;
  std::array<std::map<JobId, Instant>, table_count> times_;
  std::multiset<std::string> claims_;
  std::multiset<std::string> dead_;
  std::set<JobId> index_, hashes_, jobs_;
  std::map<std::string, std::multiset<std::string>> ready_;  // elements, by list
  std::set<std::string> indexed_;                            // lists that claims look into
  std::set<std::string> found_;                              // elements that were crossed out
  std::map<std::string, std::int64_t> counts_, stale_, there_;
  std::map<std::string, std::map<JobId, std::string>> keys_;  // scores, by key
  std::map<std::string, Bound> once_;
  std::map<JobId, std::set<std::string>> further_;  // keys that jobs list
  std::map<JobId, Reply> names_;                    // that HASHes show, if they are kept up to date
  std::set<std::string> gone_;
  std::set<std::int64_t> numbers_;
  std::int64_t kept_ = 0, sizes_ = 0;  // what finished jobs take: as counted, and one by one
};

}  // namespace longshore::redis
