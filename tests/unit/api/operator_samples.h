// Answers to operators in which every member that the document names is seen at least once.
#pragma once

#include <vector>

#include "unit/api/api_harness.h"

namespace longshore {

std::vector<Sample> operator_samples();

}  // namespace longshore
