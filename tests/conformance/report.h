// Where a test leaves what people want to read after a run that passed.
#pragma once

#include <string>

namespace longshore::conformance {

// Prints `text`, and writes it to <name>.txt in the folder that LONGSHORE_REPORTS names, if any:
// `./dev test` prints what it finds there.
void report(const std::string& name, const std::string& text);

}  // namespace longshore::conformance
