#include "client/webhook.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

#include "core/assert.h"

namespace longshore {
namespace {

constexpr std::string_view prefix = "whsec_";
constexpr std::size_t key_bytes_min = 16;
constexpr std::size_t key_bytes_max = 128;

std::optional<std::string> from_base64(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0 || text.size() > key_bytes_max * 2) return std::nullopt;
  std::string bytes(text.size() / 4 * 3, '\0');
  const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()));
  if (length < 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  bytes.resize(bytes.size() - padding);
  return bytes;
}

std::string to_base64(const unsigned char* bytes, std::size_t size) {
  std::string text((size + 2) / 3 * 4 + 1, '\0');
  const int length =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes, static_cast<int>(size));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

}  // namespace

Result<Secrets> Secrets::parse(const std::vector<std::string>& pairs) {
  Secrets secrets;
  for (const std::string& pair : pairs) {
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const std::string name = pair.substr(0, equals);
    std::string_view text = std::string_view(pair).substr(std::min(equals + 1, pair.size()));
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
    const auto key = from_base64(text);
    if (name.empty() || !key || key->size() < key_bytes_min || key->size() > key_bytes_max) {
      return Error{Errc::invalid, "secrets takes NAME=whsec_..., base64 of 16 to 128 bytes; \"" +
                                      name + "\" has none"};
    }
    if (!secrets.keys_.emplace(name, *key).second) {
      return Error{Errc::invalid, "there are two secrets called " + name};
    }
  }
  return secrets;
}

const std::string* Secrets::find(std::string_view name) const {
  const auto found = keys_.find(name);
  return found == keys_.end() ? nullptr : &found->second;
}

Headers message_headers(const std::string& id, Instant at) {
  return {{"webhook-id", id}, {"webhook-timestamp", std::to_string(at.count() / 1000)}};
}

Headers signature_headers(const std::string& key, const std::string& id, Instant at,
                          const std::string& body) {
  Headers headers = message_headers(id, at);
  const std::string signed_text = id + "." + headers.back().second + "." + body;
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int length = 0;
  const unsigned char* const made = HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                                         reinterpret_cast<const unsigned char*>(signed_text.data()),
                                         signed_text.size(), digest.data(), &length);
  LONGSHORE_ASSERT(made != nullptr, "OpenSSL has HMAC and SHA-256");
  headers.emplace_back("webhook-signature", "v1," + to_base64(digest.data(), length));
  return headers;
}

}  // namespace longshore
