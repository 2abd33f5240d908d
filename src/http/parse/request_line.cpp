#include "http/parse/request_line.h"

#include "http/parse/characters.h"

namespace longshore::wire {
namespace {

constexpr std::size_t method_length_max = 32;

MaybeRefusal read_version(std::string_view version, RequestLine& read) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (version.size() != 8 || !version.starts_with("HTTP/") || !digit(version[5]) ||
      version[6] != '.' || !digit(version[7])) {
    return bad_request("The request line does not end with an HTTP version");
  }
  if (version[5] != '1' || version[7] > '1') {
    return Refusal{"HTTP_VERSION", "Unsupported HTTP version; use HTTP/1.1 or HTTP/1.0"};
  }
  read.http_1_1 = version[7] == '1';
  return {};
}

bool has_whole_escapes(std::string_view target) {
  for (std::size_t at = target.find('%'); at != std::string_view::npos;
       at = target.find('%', at + 3)) {
    if (at + 2 >= target.size()) return false;
    if (hex_digit(target[at + 1]) < 0 || hex_digit(target[at + 2]) < 0) return false;
  }
  return true;
}

MaybeRefusal read_absolute(std::string_view target, RequestLine& read) {
  const std::string_view rest = target.substr(target.find("://") + 3);
  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  read.authority = rest.substr(0, end);
  if (read.authority.empty()) return bad_request("The request target has no host");
  read.target = rest.substr(end);
  if (!read.target.starts_with('/')) read.target.insert(0, "/");
  return {};
}

bool has_scheme(std::string_view target) {
  return equal_ignoring_case(target.substr(0, 7), "http://") ||
         equal_ignoring_case(target.substr(0, 8), "https://");
}

MaybeRefusal read_target(std::string_view target, RequestLine& read) {
  if (!consists_of(target, characters::target)) {
    return bad_request("The request target has a character that must be percent-encoded");
  }
  if (!has_whole_escapes(target)) return bad_request("Invalid percent-encoding in the path");
  if (has_scheme(target)) return read_absolute(target, read);
  if (!target.starts_with('/') && !(target == "*" && read.method == "OPTIONS")) {
    return bad_request("The request target must begin with '/'");
  }
  read.target = target;
  return {};
}

}  // namespace

MaybeRefusal read_request_line(std::string_view line, RequestLine& read) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) {
    return bad_request("The request line must be a method, a target and a version");
  }
  read.method = line.substr(0, first);
  if (read.method.empty() || read.method.size() > method_length_max ||
      !consists_of(read.method, characters::token)) {
    return bad_request("Invalid method");
  }
  if (MaybeRefusal refusal = read_version(line.substr(last + 1), read)) return refusal;
  return read_target(line.substr(first + 1, last - first - 1), read);
}

}  // namespace longshore::wire
