#include "store/redis/script.h"

#include <openssl/evp.h>

#include <array>
#include <utility>

#include "core/assert.h"

namespace longshore::redis {
namespace {

std::string sha1_of(const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int length = 0;
  const int made =
      EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_sha1(), nullptr);
  LONGSHORE_ASSERT(made == 1 && length == 20, "OpenSSL knows SHA-1");
  constexpr char digits[] = "0123456789abcdef";
  std::string hex;
  for (unsigned int i = 0; i < length; ++i) {
    hex += digits[digest[i] >> 4];
    hex += digits[digest[i] & 15];
  }
  return hex;
}

}  // namespace

Script::Script(std::string name, std::string source)
    : name_(std::move(name)), source_(std::move(source)), sha1_(sha1_of(source_)) {}

}  // namespace longshore::redis
