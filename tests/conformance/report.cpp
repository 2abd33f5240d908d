#include "conformance/report.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace longshore::conformance {

void report(const std::string& name, const std::string& text) {
  std::fputs(text.c_str(), stdout);
  const char* folder = std::getenv("LONGSHORE_REPORTS");
  if (folder == nullptr) return;
  std::ofstream(std::string(folder) + "/" + name + ".txt") << text << '\n';
}

}  // namespace longshore::conformance
