// Parses metrics as Prometheus does, and reports what it or its linter would refuse.
#pragma once

#include <string>
#include <string_view>

namespace longshore {

// One fault per line; empty if the text is valid: every family has help and type before its
// samples, names follow the conventions, no sample is repeated, histograms add up.
std::string metrics_faults(std::string_view text);

}  // namespace longshore
