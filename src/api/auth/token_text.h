// The text of tokens, and what is stored of one: its public id and a keyed hash of its secret.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/wire/json_out.h"
#include "longshore/command.h"

namespace longshore {

// Written "ls_<id>_<secret>". The id may be shown; the secret is shown once.
struct TokenText {
  std::string id;      // 16 hexadecimal digits
  std::string secret;  // 64 hexadecimal digits
};

// From 64 random bits for the id and 256 for the secret.
TokenText new_token(std::uint64_t id, const std::array<std::uint64_t, 4>& secret);

std::string to_text(const TokenText& token);
std::optional<TokenText> parse_token(std::string_view text);

// A token as JSON, without its hash.
void write_token(JsonOut& out, const TokenRecord& token);

// HMAC-SHA-256, as 64 hexadecimal digits. The key may be empty.
std::string keyed_hash(std::string_view key, std::string_view text);

// The stored hash of a token.
std::string token_hash(std::string_view key, const TokenText& token);

// In constant time, except for the lengths.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace longshore
