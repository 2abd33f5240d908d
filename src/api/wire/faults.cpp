#include "api/wire/faults.h"

#include <utility>

namespace longshore {

void Faults::add(std::string field, std::string detail) {
  if (!full()) faults_.push_back({std::move(field), std::move(detail)});
}

void Faults::invalid(std::string field, std::string detail) {
  has_invalid_ = true;
  add(std::move(field), std::move(detail));
}

void Faults::unknown(std::string field) {
  has_unknown_ = true;
  add(std::move(field), "is not a field of this request");
}

void Faults::too_large(std::string field, std::string detail) {
  add(std::move(field), std::move(detail));
}

void Faults::join(const Faults& others) {
  has_unknown_ = has_unknown_ || others.has_unknown_;
  has_invalid_ = has_invalid_ || others.has_invalid_;
  for (const FieldFault& fault : others.faults_) add(fault.field, fault.detail);
}

Problem Faults::problem() const {
  Problem problem{.code = Code::too_large, .errors = faults_};
  if (has_invalid_) problem.code = Code::invalid_field;
  if (has_unknown_) problem.code = Code::unknown_field;
  const FieldFault& first = faults_.front();
  problem.detail = (first.field.empty() ? "The body" : first.field) + ": " + first.detail;
  if (faults_.size() > 1) {
    problem.detail += "; and " + std::to_string(faults_.size() - 1) + " more, see errors";
  }
  return problem;
}

}  // namespace longshore
