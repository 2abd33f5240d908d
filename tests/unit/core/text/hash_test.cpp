#include "core/text/hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace longshore {
namespace {

std::string little_endian(const Hash128& hash) {
  std::string bytes;
  for (const std::uint64_t word : {hash.high, hash.low}) {
    for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(word >> (8 * i)));
  }
  return bytes;
}

TEST(Hash128, GivesThePublishedAnswers) {
  struct Case {
    std::string_view text;
    Hash128 expected;
  };
  const Case cases[] = {
      {"", {0, 0}},
      {"hello", {0xCBD8A7B341BD9B02ULL, 0x5B1E906A48AE1D19ULL}},
      {"The quick brown fox jumps over the lazy dog",
       {0xE34BBC7BBC071B6CULL, 0x7A433CA9C49A9347ULL}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(hash128(c.text), c.expected);
    EXPECT_EQ(hash64(c.text), c.expected.high);
  }
}

// SMHasher's own check of an implementation: hash 256 keys of rising length, each with its own
// seed, then hash the hashes. The first four bytes name the algorithm.
TEST(Hash128, HasTheVerificationValueOfMurmurHash3X64) {
  std::string key;
  std::string hashes;
  for (std::uint32_t i = 0; i < 256; ++i) {
    hashes += little_endian(hash128(key, 256 - i));
    key.push_back(static_cast<char>(i));
  }
  EXPECT_EQ(hash128(hashes).high & 0xFFFFFFFFULL, 0x6384BA69ULL);
}

TEST(Hash128, DiffersForEveryLengthOfTheSameBytes) {
  std::set<Hash128> seen;
  for (std::size_t size = 0; size < 100; ++size) seen.insert(hash128(std::string(size, '\0')));
  EXPECT_EQ(seen.size(), 100U);
}

TEST(Hash128, DiffersForEverySeedOfTheSameText) {
  std::set<Hash128> seen;
  for (std::uint32_t seed = 0; seed < 100; ++seed) seen.insert(hash128("payload", seed));
  EXPECT_EQ(seen.size(), 100U);
}

TEST(Hash128, ChangesWithAnyBit) {
  const std::string text(37, 'x');
  std::set<Hash128> seen = {hash128(text)};
  for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
    std::string changed = text;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
    seen.insert(hash128(changed));
  }
  EXPECT_EQ(seen.size(), text.size() * 8 + 1);
}

}  // namespace
}  // namespace longshore
