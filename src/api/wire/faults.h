// Everything that is wrong with one request, so that it can be said at once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/wire/problem.h"

namespace longshore {

class Faults {
 public:
  void invalid(std::string field, std::string detail);
  void unknown(std::string field);
  // More than may be kept of a payload, a result, a checkpoint or an error's details.
  void too_large(std::string field, std::string detail);

  bool any() const { return !faults_.empty(); }
  bool full() const { return faults_.size() >= faults_max; }

  // Those of a part join those of the whole.
  void join(const Faults& others);

  // REQUIRES: any(). UNKNOWN_FIELD if one is; TOO_LARGE if nothing else is wrong.
  Problem problem() const;

 private:
  static constexpr std::size_t faults_max = 100;

  void add(std::string field, std::string detail);

  std::vector<FieldFault> faults_;
  bool has_unknown_ = false;
  bool has_invalid_ = false;
};

}  // namespace longshore
