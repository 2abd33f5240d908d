#include "store/sqlite/keys/key_filter.h"

#include <algorithm>
#include <cstring>

namespace longshore::sqlite {
namespace {

constexpr std::size_t bits_per_key = 12;
constexpr std::uint64_t top_bit = std::uint64_t{1} << 63U;

// Unsigned, in the order in which SQL compares the hashes.
std::uint64_t rank(std::int64_t hash) { return static_cast<std::uint64_t>(hash) ^ top_bit; }

// Six bits for each word of a block, from bits that did not choose the block.
std::uint64_t spread(std::int64_t hash) {
  const std::uint64_t mixed = static_cast<std::uint64_t>(hash) * 0x9E3779B97F4A7C15U;
  return mixed ^ (mixed >> 32U);
}

}  // namespace

KeyFilter::KeyFilter(std::int64_t keys)
    : blocks_(
          std::max<std::size_t>(1, (static_cast<std::size_t>(keys) * bits_per_key + 511) / 512)) {}

std::size_t KeyFilter::block_of(std::int64_t hash) const {
  return static_cast<std::size_t>(((rank(hash) >> 32U) * blocks_.size()) >> 32U);
}

void KeyFilter::add(std::int64_t hash) {
  std::uint64_t bits = spread(hash);
  for (std::uint64_t& word : blocks_[block_of(hash)]) {
    word |= std::uint64_t{1} << (bits & 63U);
    bits >>= 6U;
  }
}

bool KeyFilter::may_hold(std::int64_t hash) const {
  std::uint64_t bits = spread(hash);
  std::uint64_t all = 1;
  for (const std::uint64_t word : blocks_[block_of(hash)]) {
    all &= word >> (bits & 63U);
    bits >>= 6U;
  }
  return all != 0;
}

std::size_t KeyFilter::parts() const {
  return (blocks_.size() + blocks_per_part - 1) / blocks_per_part;
}

std::int64_t KeyFilter::first_hash(std::size_t part) const {
  const std::uint64_t block = part * blocks_per_part;
  const std::uint64_t high = ((block << 32U) + blocks_.size() - 1) / blocks_.size();
  return static_cast<std::int64_t>((high << 32U) ^ top_bit);
}

std::string_view KeyFilter::bytes(std::size_t part) const {
  const std::size_t first = part * blocks_per_part;
  const std::size_t count = std::min(blocks_per_part, blocks_.size() - first);
  return {reinterpret_cast<const char*>(&blocks_[first]), count * sizeof(Block)};
}

bool KeyFilter::restore(std::size_t part, std::string_view stored) {
  if (part >= parts() || stored.size() != bytes(part).size()) return false;
  std::memcpy(&blocks_[part * blocks_per_part], stored.data(), stored.size());
  return true;
}

}  // namespace longshore::sqlite
