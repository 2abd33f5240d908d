#include "api/auth/token_text.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>

#include "core/assert.h"
#include "longshore/id.h"

namespace longshore {
namespace {

constexpr std::string_view prefix = "ls_";
constexpr std::size_t id_length = 16;
constexpr std::size_t secret_length = 64;

bool is_lower_hex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

TokenText new_token(std::uint64_t id, const std::array<std::uint64_t, 4>& secret) {
  return {.id = to_hex(0, id).substr(16),
          .secret = to_hex(secret[0], secret[1]) + to_hex(secret[2], secret[3])};
}

std::string to_text(const TokenText& token) {
  return std::string(prefix) + token.id + "_" + token.secret;
}

std::optional<TokenText> parse_token(std::string_view text) {
  if (text.size() != prefix.size() + id_length + 1 + secret_length) return std::nullopt;
  const std::string_view id = text.substr(prefix.size(), id_length);
  const std::string_view secret = text.substr(text.size() - secret_length);
  if (!text.starts_with(prefix) || text[prefix.size() + id_length] != '_' || !is_lower_hex(id) ||
      !is_lower_hex(secret)) {
    return std::nullopt;
  }
  return TokenText{std::string(id), std::string(secret)};
}

void write_token(JsonOut& out, const TokenRecord& token) {
  out.open('{');
  out.member("id", token.id);
  out.member("name", token.name);
  out.member("role", token.role);
  out.member("namespace", token.ns);
  out.member("createdAt", token.created_at);
  out.member("expiresAt", token.expires_at);
  out.member("lastUsedAt", token.last_used_at);
  out.close('}');
}

std::string keyed_hash(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  const unsigned char* made = HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                                   reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                                   digest.data(), &length);
  LONGSHORE_ASSERT(made != nullptr && length == 32, "OpenSSL has SHA-256");
  std::string hex;
  for (unsigned int i = 0; i < length; ++i) {
    constexpr std::string_view digits = "0123456789abcdef";
    hex += digits[digest[i] >> 4];
    hex += digits[digest[i] & 15];
  }
  return hex;
}

std::string token_hash(std::string_view key, const TokenText& token) {
  return keyed_hash(key, "token\n" + token.id + "\n" + token.secret);
}

bool same_secret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace longshore
