// What each webhook secret may sign: the callbacks of one namespace, to URLs below given prefixes.
// The keys themselves are elsewhere; see client/delivery/webhook.h.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/net/web_url.h"
#include "longshore/error.h"
#include "longshore/job.h"

namespace longshore {

struct SecretBinding {
  std::string ns;
  std::vector<std::string> urls;  // prefixes; at least one
};

// Constant once it is shared between threads.
class SecretBindings {
 public:
  // Errc::invalid for a name that is taken, a namespace that is none, no prefix at all, or a prefix
  // that is no URL or has a query, a fragment or a path that climbs.
  Result<Nothing> add(const std::string& name, const SecretBinding& binding);

  // Why this secret may not sign what this callback asks for. A secret of another namespace is
  // answered as one that does not exist.
  struct Fault {
    std::string field;  // "callback.secretName" or "callback.url"
    std::string detail;
  };
  // Nothing for a callback that names no secret.
  std::optional<Fault> fault(std::string_view ns, const Callback& callback) const;

  bool has(std::string_view name) const { return bindings_.contains(name); }
  // Whether the secret may sign what is sent there. Scheme, host and port are equal, and the path
  // is the prefix's or goes on after a slash; a path that might climb out is never covered.
  bool covers(std::string_view name, const OutgoingUrl& url) const;

 private:
  struct Bound {
    std::string ns;
    std::vector<OutgoingUrl> prefixes;
  };
  std::map<std::string, Bound, std::less<>> bindings_;
};

}  // namespace longshore
