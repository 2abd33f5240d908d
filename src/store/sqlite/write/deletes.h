// Removals of jobs' rows that were put off, to be run together: most of what one costs is what its
// statement costs.
#pragma once

#include <string>
#include <vector>

#include "longshore/id.h"
#include "store/sqlite/file/connection.h"

namespace longshore::sqlite {

class Deletes {
 public:
  Deletes(Database& database, const std::string& table);

  void add(const JobId& id) { ids_.push_back(id); }
  void run();

 private:
  // Beginning with `first`; the last is named again until there are enough of them.
  void remove_several(std::size_t first);

  Statement one_;
  Statement several_;
  std::vector<JobId> ids_;
};

}  // namespace longshore::sqlite
