// Answers to operators that contain every member of the document at least once.
#pragma once

#include <vector>

#include "unit/api/api_harness.h"

namespace longshore {

std::vector<Sample> operator_samples();

}  // namespace longshore
