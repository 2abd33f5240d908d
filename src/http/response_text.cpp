#include "http/response_text.h"

#include <algorithm>
#include <charconv>
#include <ctime>

#include "http/parse/characters.h"

namespace longshore::wire {
namespace {

std::string_view reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    case 507:
      return "Insufficient Storage";
    default:
      return "";
  }
}

template <class Number>
void append_number(std::string& text, Number number, int base = 10) {
  char digits[24];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number, base).ptr;
  text.append(digits, end);
}

void append_header(std::string& text, std::string_view name, std::string_view value) {
  text.append(name).append(": ");
  const std::size_t begin = text.size();
  text.append(value);
  // Prevents header injection through line breaks in a value.
  if (!consists_of(value, characters::value)) {
    std::replace_if(
        text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(),
        [](char c) { return !characters::value[static_cast<unsigned char>(c)]; }, ' ');
  }
  text.append("\r\n");
}

void append_framing(std::string& text, const HttpResponse& response, const ResponseFrame& frame) {
  if (frame.stream) {
    if (frame.http_1_1) text.append("Transfer-Encoding: chunked\r\n");
  } else if (may_have_body(response.status)) {
    text.append("Content-Length: ");
    append_number(text, response.content_type.empty() ? 0 : response.body.size());
    text.append("\r\n");
  }
  if (!frame.keep_alive) {
    text.append("Connection: close\r\n");
  } else if (!frame.http_1_1) {
    text.append("Connection: keep-alive\r\n");
  }
}

}  // namespace

bool may_have_body(int status) { return status >= 200 && status != 204 && status != 304; }

void append_head(std::string& text, const HttpResponse& response, const ResponseFrame& frame) {
  text.append("HTTP/1.1 ");
  append_number(text, response.status);
  text.append(" ").append(reason(response.status)).append("\r\nDate: ");
  text.append(frame.date).append("\r\n");
  if (!response.content_type.empty() && may_have_body(response.status)) {
    append_header(text, "Content-Type", response.content_type);
  }
  for (const HttpHeader& header : response.headers) append_header(text, header.name, header.value);
  append_framing(text, response, frame);
  text.append("\r\n");
}

std::string http_date(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  gmtime_r(&time, &parts);
  // Independent of the process's locale.
  static constexpr const char* days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                           "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  char format[32];
  char text[40];
  std::snprintf(format, sizeof format, "%s, %%d %s %%Y %%H:%%M:%%S GMT", days[parts.tm_wday],
                months[parts.tm_mon]);
  const std::size_t length = std::strftime(text, sizeof text, format, &parts);
  return {text, length};
}

void append_chunk(std::string& text, std::string_view bytes) {
  append_number(text, bytes.size(), 16);
  text.append("\r\n").append(bytes).append("\r\n");
}

}  // namespace longshore::wire
