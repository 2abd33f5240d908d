// Reports of tests that are worth reading after a successful run.
#pragma once

#include <string>

namespace longshore::conformance {

// Prints `text`, and writes it to <name>.txt in the folder that LONGSHORE_REPORTS names, if any:
// `./dev test` prints these files.
void report(const std::string& name, const std::string& text);

}  // namespace longshore::conformance
