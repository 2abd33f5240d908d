// Collects everything that is wrong with one request, so that one answer reports all of it.
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
  // A payload, result, checkpoint or error details beyond its limit.
  void too_large(std::string field, std::string detail);

  bool any() const { return !faults_.empty(); }
  bool full() const { return faults_.size() >= faults_max; }

  void join(const Faults& others);

  // REQUIRES: any(). UNKNOWN_FIELD if a field is unknown; TOO_LARGE if nothing else is wrong.
  Problem problem() const;

 private:
  static constexpr std::size_t faults_max = 100;

  void add(std::string field, std::string detail);

  std::vector<FieldFault> faults_;
  bool has_unknown_ = false;
  bool has_invalid_ = false;
};

}  // namespace longshore
