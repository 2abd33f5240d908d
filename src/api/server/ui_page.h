// The dashboard under /ui/: its page and what that is made of, and nothing from anywhere else.
#pragma once

#include <string_view>

#include "http/exchange.h"

namespace longshore {

// Of a path that begins with /ui: the page, a file of it, a redirect to it, or 404. Files have
// names that change with what is in them, so whoever has one need not ask again.
HttpResponse ui_response(std::string_view path, const HttpRequest& request);

// Whether an Accept-Encoding header allows gzip. Without one, nothing is packed.
bool takes_gzip(std::string_view accept_encoding);

}  // namespace longshore
