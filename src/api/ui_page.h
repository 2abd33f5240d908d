// The page under /ui/: no scripts, no styles but its own, nothing from anywhere else.
#pragma once

#include <string_view>

#include "http/exchange.h"

namespace longshore {

// Of a path that begins with /ui: the page, its style, a redirect to it, or 404.
HttpResponse ui_response(std::string_view path);

}  // namespace longshore
