// Which callbacks each webhook secret may sign: those of one namespace, to URLs below its prefixes.
// For the keys see client/delivery/webhook.h.
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
  // Errc::invalid for a duplicate or invalid name, an invalid namespace, no prefixes, or a prefix
  // that is not a URL or has a query, a fragment or dot segments.
  Result<Nothing> add(const std::string& name, const SecretBinding& binding);

  // Why the secret may not sign this callback. A secret of another namespace is reported as
  // unknown.
  struct Fault {
    std::string field;  // "callback.secretName" or "callback.url"
    std::string detail;
  };
  // None for a callback without a secret.
  std::optional<Fault> fault(std::string_view ns, const Callback& callback) const;

  bool has(std::string_view name) const { return bindings_.contains(name); }
  // Whether the secret may sign requests to the URL. Scheme, host and port must be equal, and the
  // path must be the prefix's or continue after a slash; a path with dot segments is never covered.
  bool covers(std::string_view name, const OutgoingUrl& url) const;

 private:
  struct Bound {
    std::string ns;
    std::vector<OutgoingUrl> prefixes;
  };
  std::map<std::string, Bound, std::less<>> bindings_;
};

}  // namespace longshore
