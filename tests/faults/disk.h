// A simulated disk in memory. Each file has the bytes that processes read and the bytes that
// survive a power cut; the difference are the changes since the last sync. Directory entries work
// the same way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/ids/random.h"

namespace longshore::faults {

// How a power cut treats unsynced changes. Chosen once for a whole disk, so that some cuts lose
// nothing, some everything, and most a part.
struct PowerCut {
  enum class Grain : std::uint8_t {
    whole,     // a write arrives completely or not at all
    sector,    // each 512 bytes of a write separately
    block,     // each 4 KiB separately
    in_order,  // every write up to some point, that one partly, nothing after it
  };
  Grain grain = Grain::whole;
  double kept = 0.5;       // how likely each piece is to have arrived
  bool garbage = false;    // space that was never written contains noise, not zeros
  std::size_t prefix = 0;  // for in_order: how many changes arrived

  static PowerCut random(Random& random);
};

// One file's bytes. Not safe to share between threads.
class DiskFile {
 public:
  std::size_t size() const { return seen_.size(); }
  // Returns the number of bytes read, at most the size of `into`.
  std::size_t read(std::size_t offset, std::span<char> into) const;
  void write(std::size_t offset, std::span<const char> bytes);
  void truncate(std::size_t size);
  void sync();

  // A sync that fails as on Linux: some changes arrived; the others count as clean, and no later
  // sync writes them. Readers may or may not still see them.
  void fail_sync(Random& random);
  // The synced content becomes the visible content.
  void lose_power(const PowerCut& cut, Random& random);

 private:
  // A write if it has bytes (in unsynced_bytes_), else a truncation to `offset`.
  struct Change {
    std::size_t offset = 0;
    std::size_t begin = 0;
    std::size_t length = 0;
    bool truncation = false;
  };

  std::span<const char> bytes_of(const Change& change) const;
  void keep_part(const Change& change, const PowerCut& cut, Random& random);
  void keep_pieces(const Change& change, std::size_t grain, double kept, Random& random,
                   bool garbage);

  std::string seen_;
  std::string durable_;
  std::vector<Change> unsynced_;
  std::string unsynced_bytes_;
};

// Files by name. Copying one copies every file. Not safe to share between threads.
class Disk {
 public:
  Disk() = default;
  Disk(const Disk& other);
  Disk& operator=(const Disk& other);
  Disk(Disk&&) = default;
  Disk& operator=(Disk&&) = default;

  // Null if there is no file of this name.
  std::shared_ptr<DiskFile> find(const std::string& name) const;
  std::shared_ptr<DiskFile> create(const std::string& name);
  // Open files keep their bytes.
  void remove(const std::string& name);
  // Makes the creations and removals so far durable.
  void sync_directory();

  // Ends every process and loses unsynced data. Deterministic for the same random numbers.
  void lose_power(Random& random);

 private:
  using Entries = std::map<std::string, std::shared_ptr<DiskFile>>;
  struct EntryChange {
    std::string name;
    std::shared_ptr<DiskFile> file;  // null: removed
  };

  Entries seen_;
  Entries durable_;
  std::vector<EntryChange> unsynced_;
};

}  // namespace longshore::faults
