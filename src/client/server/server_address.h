// Parses a server URL such as "https://jobs.example.org:7788/base".
#pragma once

#include <string>
#include <string_view>

#include "longshore/error.h"

namespace longshore {

struct ServerAddress {
  bool secure = false;
  std::string host;  // without the brackets of an IPv6 address
  std::string port;
  std::string base;  // prefix of every path; empty, or "/base" without a trailing slash

  // For the Host header.
  std::string authority() const;
};

// Errc::invalid if this is not a server URL.
Result<ServerAddress> parse_server_url(std::string_view url);

}  // namespace longshore
