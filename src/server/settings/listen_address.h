// A listening address: "127.0.0.1:7788", "[::1]:7788", "localhost:0", ":7788" for all interfaces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "longshore/error.h"

namespace longshore {

struct ListenAddress {
  std::string host;        // without the brackets of an IPv6 address
  std::uint16_t port = 0;  // 0: any free port

  bool is_loopback() const;  // other machines cannot reach it
  std::string text() const;  // the format of parse_listen_address
};

Result<ListenAddress> parse_listen_address(std::string_view text);

}  // namespace longshore
