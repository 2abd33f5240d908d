// Creates, lists and revokes tokens directly in a store that no server uses, such as the first
// token. Returns the same JSON as the API.
#pragma once

#include <optional>
#include <string>

#include "longshore/error.h"
#include "longshore/time.h"
#include "server/settings/settings.h"

namespace longshore {

struct TokenRequest {
  std::string role;
  std::string name;  // empty: generated
  std::string ns = "default";
  std::optional<Duration> lifetime;  // none: unlimited
};

// Each returns JSON. Errc::invalid for an invalid request, Errc::not_found for an unknown token, or
// the error of opening the store.
Result<std::string> create_token_on_store(const Settings& settings, const TokenRequest& request);
Result<std::string> list_tokens_on_store(const Settings& settings);
Result<std::string> revoke_token_on_store(const Settings& settings, const std::string& id);

// Whether the store could not be opened because another process uses it.
bool is_store_held(const Error& error);

}  // namespace longshore
