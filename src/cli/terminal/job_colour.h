// The colour of a job's state or status.
#pragma once

#include <string_view>

#include "cli/terminal/terminal.h"

namespace longshore {

inline Colour colour_of_state(std::string_view state) {
  if (state == "SUCCESS" || state == "COMPLETED") return Colour::green;
  if (state == "DEAD" || state == "FAILED") return Colour::red;
  if (state == "RUNNING" || state == "WAITING") return Colour::blue;
  if (state == "RETRY") return Colour::yellow;
  if (state == "CANCELED") return Colour::dim;
  return Colour::plain;
}

}  // namespace longshore
