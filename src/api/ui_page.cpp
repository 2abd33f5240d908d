#include "api/ui_page.h"

#include "api/problem.h"

namespace longshore {
namespace {

constexpr std::string_view page = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Longshore</title>
<link rel="stylesheet" href="/ui/longshore.css">
</head>
<body>
<main>
<h1>Longshore</h1>
<p>A durable job platform. This server speaks JSON over HTTP:</p>
<ul>
<li><a href="/openapi.json">What it can be asked</a></li>
<li><a href="/queues">Queues</a></li>
<li><a href="/jobs">Jobs, newest first</a></li>
<li><a href="/dead">Dead letters</a></li>
<li><a href="/workers">Workers</a></li>
<li><a href="/errors">Errors</a></li>
<li><a href="/stats">The last hour</a></li>
<li><a href="/metrics">Metrics</a></li>
<li><a href="/readyz">Whether it is ready</a></li>
</ul>
</main>
</body>
</html>
)";

constexpr std::string_view style = R"(body { font: 1rem/1.5 system-ui, sans-serif; margin: 3rem; }
main { max-width: 40rem; margin: 0 auto; }
li { margin: 0.25rem 0; }
)";

constexpr std::string_view policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'";

HttpResponse guarded(std::string content_type, std::string_view body) {
  return {.content_type = std::move(content_type),
          .headers = {{"Content-Security-Policy", std::string(policy)},
                      {"X-Content-Type-Options", "nosniff"},
                      {"X-Frame-Options", "DENY"},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cache-Control", "no-cache"}},
          .body = std::string(body)};
}

}  // namespace

HttpResponse ui_response(std::string_view path) {
  if (path == "/ui/") return guarded("text/html; charset=utf-8", page);
  if (path == "/ui/longshore.css") return guarded("text/css; charset=utf-8", style);
  if (path == "/ui") {
    return {.status = 308, .content_type = "", .headers = {{"Location", "/ui/"}}};
  }
  return to_response(not_found("there is no such page"));
}

}  // namespace longshore
