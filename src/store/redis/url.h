// What a redis:// URL says: where the servers are, who asks, and how they are to be used.
//
//   redis://[user[:password]@]host[:port][/database][?option=value&...]
//   rediss://...            the same through TLS; the server's certificate is verified
//   redis+cluster://[user[:password]@]host[:port][,host[:port]...][?...]
//   rediss+cluster://...    a cluster through TLS
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/error.h"
#include "longshore/store.h"
#include "longshore/time.h"

namespace longshore::redis {

struct Address {
  std::string host;  // a name or an address; IPv6 without brackets
  int port = 6379;
  friend auto operator<=>(const Address&, const Address&) = default;
};
std::string to_text(const Address& address);

struct Url {
  std::vector<Address> hosts;  // one, or several nodes of a cluster
  bool tls = false;
  bool cluster = false;
  std::string user;      // empty: Redis's default user
  std::string password;  // may be in no message
  int database = 0;
  std::string shown;  // scheme, hosts and database, for people

  int lanes = 4;                              // lanes=1..64: exchanges at once
  Duration timeout = Duration::seconds(5);    // timeout=1..300: seconds without a byte
  Duration patience = Duration::seconds(20);  // patience=1..300: seconds of being sent on
  std::optional<int> replicas = {};           // replicas=0..9; not given: 1 if there are any
  std::optional<Durability> accepted = {};    // durability=A|B|C: the least that is enough
  std::string ca_file = {};                   // ca=PATH instead of the system's authorities
  std::string certificate_file = {};          // cert=PATH and key=PATH: who we are
  std::string key_file = {};
  std::optional<std::int64_t> keep_jobs = {};   // keep_jobs=: finished jobs of a namespace
  std::optional<std::int64_t> keep_bytes = {};  // keep_bytes=: what they may take, 512mb
  std::string prefix = "longshore";             // prefix=: what names of keys begin with
};

// Errc::invalid for a URL that is none, or an option out of its range. No message holds a password.
Result<Url> parse_url(std::string_view url);

}  // namespace longshore::redis
