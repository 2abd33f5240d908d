#include "api/server/ui_page.h"

#include <algorithm>
#include <array>

#include "api/api.h"
#include "api/server/routes.h"
#include "api/server/ui_files.h"
#include "api/wire/problem.h"

namespace longshore {
namespace {

constexpr std::string_view policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'";
constexpr std::string_view page_name = "index.html";

struct Media {
  std::string_view suffix, type;
};
constexpr std::array medias = {
    Media{".html", "text/html; charset=utf-8"}, Media{".js", "text/javascript; charset=utf-8"},
    Media{".css", "text/css; charset=utf-8"}, Media{".svg", "image/svg+xml"}};

std::string_view media_of(std::string_view path) {
  for (const Media& media : medias) {
    if (path.ends_with(media.suffix)) return media.type;
  }
  return "application/octet-stream";
}

HttpResponse file_response(const UiFile& file, bool packed) {
  const bool named_by_content = file.path != page_name;
  HttpResponse response{
      .content_type = std::string(media_of(file.path)),
      .headers = {{"Content-Security-Policy", std::string(policy)},
                  {"X-Content-Type-Options", "nosniff"},
                  {"X-Frame-Options", "DENY"},
                  {"Referrer-Policy", "no-referrer"},
                  {"Vary", "Accept-Encoding"},
                  {"Cache-Control",
                   named_by_content ? "public, max-age=31536000, immutable" : "no-cache"}},
      .body = std::string(packed ? file.gzip : file.plain)};
  if (packed) response.headers.push_back({"Content-Encoding", "gzip"});
  return response;
}

}  // namespace

bool takes_gzip(std::string_view accept_encoding) {
  while (!accept_encoding.empty()) {
    const std::size_t end = std::min(accept_encoding.find(','), accept_encoding.size());
    std::string_view coding = accept_encoding.substr(0, end);
    accept_encoding.remove_prefix(std::min(end + 1, accept_encoding.size()));
    while (coding.starts_with(' ')) coding.remove_prefix(1);
    if (!coding.starts_with("gzip")) continue;
    const std::string_view weight = coding.substr(4);
    return weight.find_first_not_of("; q=.0") != std::string_view::npos || !weight.contains('=');
  }
  return false;
}

HttpResponse ui_response(std::string_view path, const HttpRequest& request) {
  // Relative, so that it works behind a proxy that adds a path prefix.
  if (path == "/ui") return {.status = 308, .content_type = "", .headers = {{"Location", "ui/"}}};
  path.remove_prefix(std::min<std::size_t>(4, path.size()));  // "/ui/"
  if (path.empty()) path = page_name;
  for (const UiFile& file : ui_files()) {
    if (file.path == path) {
      return file_response(file, takes_gzip(request.header("Accept-Encoding")));
    }
  }
  return to_response(not_found("No such page"));
}

void get_ui(Api& api, CallRef call) { api.answer(call, ui_response(call->path, call->request())); }

}  // namespace longshore
