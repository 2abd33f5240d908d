#include "http/exchange.h"

#include "http/parse/characters.h"

namespace longshore {

std::string_view HttpRequest::header(std::string_view name) const {
  for (const HttpHeader& header : headers) {
    if (wire::equal_ignoring_case(header.name, name)) return header.value;
  }
  return {};
}

}  // namespace longshore
