// Serves the dashboard under /ui/.
#pragma once

#include <string_view>

#include "http/exchange.h"

namespace longshore {

// For a path that begins with /ui: the page, one of its files, a redirect, or 404. File names
// contain a content hash, so browsers may cache them for ever.
HttpResponse ui_response(std::string_view path, const HttpRequest& request);

// Whether an Accept-Encoding header allows gzip. An empty one does not.
bool takes_gzip(std::string_view accept_encoding);

}  // namespace longshore
