#include "client/delivery/webhook.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>

#include "core/assert.h"

namespace longshore {
namespace {

constexpr std::string_view prefix = "whsec_";
constexpr std::string_view default_secret = "default";
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
    const std::string_view secret =
        std::string_view(pair).substr(std::min(equals + 1, pair.size()));
    Result<Nothing> added = secrets.add(pair.substr(0, equals), secret);
    if (!added) return added.error();
  }
  return secrets;
}

Result<Nothing> Secrets::bind(const std::string& name, std::string_view secret,
                              const SecretBinding& binding) {
  if (Result<Nothing> added = add(name, secret); !added) return added;
  Result<Nothing> bound = bindings_.add(name, binding);
  if (!bound) keys_.erase(name);  // otherwise it could sign pushes to any URL
  return bound;
}

Result<Nothing> Secrets::add(const std::string& name, std::string_view secret) {
  if (secret.starts_with(prefix)) secret.remove_prefix(prefix.size());
  const auto key = from_base64(secret);
  if (name.empty() || !key || key->size() < key_bytes_min || key->size() > key_bytes_max) {
    return Error{Errc::invalid, "secret \"" + name +
                                    "\" must be base64 of 16 to 128 bytes, with or without whsec_"};
  }
  if (keys_.emplace(name, *key).second) return Nothing();
  return Error{Errc::invalid, "the secret " + name + " is defined twice"};
}

Result<const std::string*> Secrets::for_callback(std::string_view ns,
                                                 const Callback& callback) const {
  const bool named = !callback.secret_name.empty();
  Callback meant = callback;
  if (!named) meant.secret_name = default_secret;
  const auto fault = bindings_.fault(ns, meant);
  if (!fault) return &keys_.find(meant.secret_name)->second;
  if (!named) return static_cast<const std::string*>(nullptr);
  return Error{Errc::invalid, fault->field + " " + fault->detail};
}

Result<const std::string*> Secrets::for_push(std::string_view name, const OutgoingUrl& url) const {
  if (name.empty()) return static_cast<const std::string*>(nullptr);
  const auto found = keys_.find(name);
  if (found == keys_.end()) {
    return Error{Errc::invalid, "no such secret: " + std::string(name)};
  }
  if (!bindings_.has(name) || bindings_.covers(name, url)) return &found->second;
  return Error{Errc::invalid, "the secret " + std::string(name) + " may not sign for " +
                                  url.authority() + url.target + "; see urls in [secrets." +
                                  std::string(name) + "]"};
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
