#include "faults/disk.h"

#include <algorithm>
#include <set>

namespace longshore::faults {
namespace {

constexpr std::size_t sector_bytes = 512;
constexpr std::size_t block_bytes = 4096;

void put(std::string& image, std::size_t offset, std::span<const char> bytes) {
  if (image.size() < offset + bytes.size()) image.resize(offset + bytes.size(), '\0');
  std::copy(bytes.begin(), bytes.end(), image.begin() + static_cast<std::ptrdiff_t>(offset));
}

// The file grew, but these bytes were never written.
void grow(std::string& image, std::size_t size, bool garbage, Random& random) {
  const std::size_t before = image.size();
  if (size <= before) return;
  image.resize(size, '\0');
  if (!garbage) return;
  for (std::size_t at = before; at < size; ++at) image[at] = static_cast<char>(random.next());
}

}  // namespace

PowerCut PowerCut::random(Random& random) {
  constexpr double likelihoods[] = {0.0, 0.05, 0.3, 0.5, 0.7, 0.95, 1.0};
  PowerCut cut;
  cut.grain = static_cast<Grain>(random.below(4));
  cut.kept = likelihoods[random.below(std::size(likelihoods))];
  cut.garbage = random.chance(0.25);
  cut.prefix = static_cast<std::size_t>(random.below(random.chance(0.5) ? 4 : 64));
  return cut;
}

// ---- DiskFile ---------------------------------------------------------------------------------

std::size_t DiskFile::read(std::size_t offset, std::span<char> into) const {
  if (offset >= seen_.size()) return 0;
  const std::size_t count = std::min(into.size(), seen_.size() - offset);
  std::copy_n(seen_.data() + offset, count, into.data());
  return count;
}

void DiskFile::write(std::size_t offset, std::span<const char> bytes) {
  unsynced_.push_back({.offset = offset, .begin = unsynced_bytes_.size(), .length = bytes.size()});
  unsynced_bytes_.append(bytes.data(), bytes.size());
  put(seen_, offset, bytes);
}

void DiskFile::truncate(std::size_t size) {
  unsynced_.push_back({.offset = size, .truncation = true});
  seen_.resize(size, '\0');
}

void DiskFile::sync() {
  for (const Change& change : unsynced_) {
    if (change.truncation) {
      durable_.resize(change.offset, '\0');
    } else {
      put(durable_, change.offset, bytes_of(change));
    }
  }
  unsynced_.clear();
  unsynced_bytes_.clear();
}

void DiskFile::fail_sync(Random& random) {
  const std::string seen = seen_;
  lose_power(PowerCut::random(random), random);
  if (random.chance(0.5)) seen_ = seen;
}

// A sector written twice since the last sync holds its first, its second or its old content.
// Keeping any subset of the pieces, in order, therefore covers every order of arrival.
void DiskFile::lose_power(const PowerCut& cut, Random& random) {
  for (std::size_t at = 0; at < unsynced_.size(); ++at) {
    const Change& change = unsynced_[at];
    if (cut.grain != PowerCut::Grain::in_order) {
      keep_part(change, cut, random);
    } else if (at < cut.prefix) {
      keep_part(change, {.grain = PowerCut::Grain::whole, .kept = 1.0}, random);
    } else if (at == cut.prefix) {
      keep_part(change, {.grain = PowerCut::Grain::sector, .kept = 0.5}, random);
    }
  }
  unsynced_.clear();
  unsynced_bytes_.clear();
  seen_ = durable_;
}

std::span<const char> DiskFile::bytes_of(const Change& change) const {
  return std::span(unsynced_bytes_).subspan(change.begin, change.length);
}

void DiskFile::keep_part(const Change& change, const PowerCut& cut, Random& random) {
  if (change.truncation) {
    if (random.chance(cut.kept)) durable_.resize(change.offset, '\0');
    return;
  }
  switch (cut.grain) {
    case PowerCut::Grain::whole:
    case PowerCut::Grain::in_order:
      return keep_pieces(change, change.offset + change.length, cut.kept, random, cut.garbage);
    case PowerCut::Grain::sector:
      return keep_pieces(change, sector_bytes, cut.kept, random, cut.garbage);
    case PowerCut::Grain::block:
      return keep_pieces(change, block_bytes, cut.kept, random, cut.garbage);
  }
}

// Pieces end at the disk's sector boundaries, not relative to the start of the write.
void DiskFile::keep_pieces(const Change& change, std::size_t grain, double kept, Random& random,
                           bool garbage) {
  const std::span<const char> bytes = bytes_of(change);
  for (std::size_t done = 0; done < bytes.size();) {
    const std::size_t at = change.offset + done;
    const std::size_t length = std::min(bytes.size() - done, grain - at % grain);
    if (random.chance(kept)) {
      grow(durable_, at, garbage, random);
      put(durable_, at, bytes.subspan(done, length));
    } else if (random.chance(kept / 2)) {
      grow(durable_, at + length, garbage, random);
    }
    done += length;
  }
}

// ---- Disk -------------------------------------------------------------------------------------

Disk::Disk(const Disk& other) { *this = other; }

Disk& Disk::operator=(const Disk& other) {
  std::map<const DiskFile*, std::shared_ptr<DiskFile>> copies;
  const auto copy = [&](const std::shared_ptr<DiskFile>& file) {
    if (file == nullptr) return file;
    std::shared_ptr<DiskFile>& made = copies[file.get()];
    if (made == nullptr) made = std::make_shared<DiskFile>(*file);
    return made;
  };
  Entries seen, durable;
  for (const auto& [name, file] : other.seen_) seen.emplace(name, copy(file));
  for (const auto& [name, file] : other.durable_) durable.emplace(name, copy(file));
  std::vector<EntryChange> unsynced;
  for (const EntryChange& change : other.unsynced_) {
    unsynced.push_back({change.name, copy(change.file)});
  }
  seen_ = std::move(seen);
  durable_ = std::move(durable);
  unsynced_ = std::move(unsynced);
  return *this;
}

std::shared_ptr<DiskFile> Disk::find(const std::string& name) const {
  const auto found = seen_.find(name);
  return found == seen_.end() ? nullptr : found->second;
}

std::shared_ptr<DiskFile> Disk::create(const std::string& name) {
  auto file = std::make_shared<DiskFile>();
  seen_[name] = file;
  unsynced_.push_back({name, file});
  return file;
}

void Disk::remove(const std::string& name) {
  if (seen_.erase(name) > 0) unsynced_.push_back({name, nullptr});
}

void Disk::sync_directory() {
  durable_ = seen_;
  unsynced_.clear();
}

void Disk::lose_power(Random& random) {
  const PowerCut cut = PowerCut::random(random);
  for (const EntryChange& change : unsynced_) {
    if (!random.chance(cut.kept)) continue;
    if (change.file != nullptr) {
      durable_[change.name] = change.file;
    } else {
      durable_.erase(change.name);
    }
  }
  unsynced_.clear();
  std::set<DiskFile*> seen;
  for (const auto& [name, file] : durable_) {
    if (seen.insert(file.get()).second) file->lose_power(cut, random);
  }
  seen_ = durable_;
}

}  // namespace longshore::faults
