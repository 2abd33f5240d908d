// Makes, lists and revokes tokens right on a store, for want of a server that holds it: the first
// token has to come from somewhere. Answers as the API's routes for tokens do.
#pragma once

#include <optional>
#include <string>

#include "longshore/error.h"
#include "longshore/time.h"
#include "server/settings/settings.h"

namespace longshore {

struct TokenRequest {
  std::string role;
  std::string name;  // empty: made up
  std::string ns = "default";
  std::optional<Duration> lasts;  // none: for ever
};

// Each answers with JSON. Errc::invalid for a wish that cannot be granted, Errc::not_found for a
// token that does not exist, and what the store says if it cannot be opened.
Result<std::string> create_token_on_store(const Settings& settings, const TokenRequest& wish);
Result<std::string> list_tokens_on_store(const Settings& settings);
Result<std::string> revoke_token_on_store(const Settings& settings, const std::string& id);

// Whether the store cannot be opened because a process of its own has it.
bool is_store_held(const Error& error);

}  // namespace longshore
