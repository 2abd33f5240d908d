// A blocked Bloom filter over the hashes of one run of keys. Blocks follow the order of the
// hashes, so that a run which is written in that order finishes its filter from the first block
// to the last, and finished parts can be stored while the run still grows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace longshore::sqlite {

class KeyFilter {
 public:
  // For at most about so many keys: 12 bits each, of which about 1 in 150 unknown keys passes.
  explicit KeyFilter(std::int64_t keys);

  void add(std::int64_t hash);
  bool may_hold(std::int64_t hash) const;

  // ---- As it is stored --------------------------------------------------------------------------

  std::size_t parts() const;
  std::size_t part_of(std::int64_t hash) const { return block_of(hash) / blocks_per_part; }
  // The smallest hash that belongs to the part.
  std::int64_t first_hash(std::size_t part) const;
  std::string_view bytes(std::size_t part) const;
  // False if the bytes are no such part.
  bool restore(std::size_t part, std::string_view bytes);

 private:
  using Block = std::array<std::uint64_t, 8>;
  static constexpr std::size_t blocks_per_part = 256;

  std::size_t block_of(std::int64_t hash) const;

  std::vector<Block> blocks_;
};

}  // namespace longshore::sqlite
