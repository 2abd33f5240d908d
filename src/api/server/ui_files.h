// The files of the dashboard, built into the program: what ui/dist holds, and the same unpacked.
#pragma once

#include <span>
#include <string_view>

namespace longshore {

struct UiFile {
  std::string_view path;  // "index.html", "assets/index-1a2b3c4d.js"
  std::string_view plain;
  std::string_view gzip;
};

// Their bytes live as long as the program. The build writes the body of this, from ui/dist.
std::span<const UiFile> ui_files();

}  // namespace longshore
