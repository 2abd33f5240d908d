// Where a server is: from "https://jobs.example.org:7788/base" to its parts.
#pragma once

#include <string>
#include <string_view>

#include "longshore/error.h"

namespace longshore {

struct ServerAddress {
  bool secure = false;
  std::string host;  // without the brackets of an IPv6 address
  std::string port;
  std::string base;  // comes before every path; empty, or "/base" without a slash at its end

  // For the Host header.
  std::string authority() const;
};

// Errc::invalid if this is no URL of a server.
Result<ServerAddress> parse_server_url(std::string_view url);

}  // namespace longshore
