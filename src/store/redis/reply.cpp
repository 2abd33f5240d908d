#include "store/redis/reply.h"

namespace longshore::redis {

std::string_view Reply::code() const {
  if (kind != Kind::error) return {};
  return std::string_view(text).substr(0, text.find(' '));
}

Error error_of(const Reply& reply, std::string_view shown) {
  const std::string_view code = reply.code();
  std::string why = std::string(shown) + ": " + reply.text;
  if (code == "OOM") {
    return {.code = Errc::disk_full, .message = why + "; raise maxmemory, or keep less"};
  }
  if (code == "MISCONF") return {.code = Errc::disk_full, .message = std::move(why)};
  const bool away = code == "LOADING" || code == "BUSY" || code == "READONLY" ||
                    code == "MASTERDOWN" || code == "NOREPLICAS" || code == "CLUSTERDOWN" ||
                    code == "TRYAGAIN" || code == "UNKILLABLE";
  if (away) return {.code = Errc::unavailable, .message = std::move(why)};
  const bool forbidden = code == "NOAUTH" || code == "NOPERM" || code == "WRONGPASS";
  return {.code = forbidden ? Errc::refused : Errc::corrupt, .message = std::move(why)};
}

}  // namespace longshore::redis
