// Reads metrics as Prometheus does, and says what it would not take or what its linter would say.
#pragma once

#include <string>
#include <string_view>

namespace longshore {

// One fault a line; empty if the text is fine: every family has help and type before its samples,
// names are ours and follow the conventions, no sample is there twice, histograms add up.
std::string metrics_faults(std::string_view text);

}  // namespace longshore
