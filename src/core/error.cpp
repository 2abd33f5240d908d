#include "longshore/error.h"

#include "core/assert.h"

namespace longshore {

std::string_view to_text(Errc code) {
  switch (code) {
    case Errc::unavailable:
      return "unavailable";
    case Errc::overloaded:
      return "overloaded";
    case Errc::disk_full:
      return "disk_full";
    case Errc::invalid:
      return "invalid";
    case Errc::not_found:
      return "not_found";
    case Errc::refused:
      return "refused";
    case Errc::corrupt:
      return "corrupt";
  }
  LONGSHORE_ASSERT(false, "an Errc is one of its enumerators");
}

}  // namespace longshore
