// Answers of two stores to the same commands, compared.
#pragma once

#include <string>

#include "longshore/store.h"

namespace longshore::faults {

// Where the two first differ, with both values, in words; empty if nowhere.
std::string difference(const Committed& expected, const Committed& actual);

}  // namespace longshore::faults
