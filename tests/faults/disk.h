// A disk in memory that remembers what has reached it and what has not: each file has the bytes
// that processes read and the bytes that survive a power cut, and between the two lie the changes
// since the last sync. Directory entries are kept the same way.
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

// How one power cut treats what was not synced. Chosen once for a whole disk, so that some cuts
// lose nothing, some everything, and most a part.
struct Wreck {
  enum class Grain : std::uint8_t {
    whole,     // a write arrives as a whole or not at all
    sector,    // each 512 bytes of a write for themselves
    block,     // each 4 KiB
    in_order,  // up to some write everything, that one in part, nothing after
  };
  Grain grain = Grain::whole;
  double kept = 0.5;       // how likely each piece is to have arrived
  bool garbage = false;    // what a file grew by without being written holds noise, not zeros
  std::size_t prefix = 0;  // of in_order: how many changes arrived

  static Wreck random(Random& random);
};

// One file's bytes. Not safe to share between threads.
class DiskFile {
 public:
  std::size_t size() const { return seen_.size(); }
  // How many bytes there were to read, at most the size of `into`.
  std::size_t read(std::size_t offset, std::span<char> into) const;
  void write(std::size_t offset, std::span<const char> bytes);
  void truncate(std::size_t size);
  void sync();

  // A sync that failed as Linux fails it: some of the changes arrived, the others count as clean
  // and no later sync writes them. A reader may still see them, or not.
  void fail_sync(Random& random);
  // What is on the disk becomes what everybody sees.
  void lose_power(const Wreck& wreck, Random& random);

 private:
  // A write if it has bytes (in unsynced_bytes_), else a truncation to `offset`.
  struct Change {
    std::size_t offset = 0;
    std::size_t begin = 0;
    std::size_t length = 0;
    bool truncation = false;
  };

  std::span<const char> bytes_of(const Change& change) const;
  void keep_part(const Change& change, const Wreck& wreck, Random& random);
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

  // Null if there is none of this name.
  std::shared_ptr<DiskFile> find(const std::string& name) const;
  std::shared_ptr<DiskFile> create(const std::string& name);
  // Whoever has it open keeps its bytes.
  void remove(const std::string& name);
  // Makes the creations and removals so far survive a power cut.
  void sync_directory();

  // Every process is gone and power with it. The same random numbers leave the same wreck.
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
