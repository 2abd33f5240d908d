#include "worker/program/checkpoint_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "core/json/json_scan.h"
#include "core/record/stored_json.h"
#include "worker/program/child.h"

namespace longshore {
namespace {

// The program controls this file: it may be a pipe, a symbolic link or endless.
std::string read_file(const std::string& path, const std::optional<uid_t>& owner) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat about = {};
  if (!file.is_open() || ::fstat(file.number(), &about) != 0 || !S_ISREG(about.st_mode)) return "";
  if (owner && about.st_uid != *owner) return "";
  std::string text;
  std::array<char, 16 * 1024> some;
  while (text.size() <= checkpoint_bytes_max) {
    const ssize_t got = ::read(file.number(), some.data(), some.size());
    if (got <= 0) break;
    text.append(some.data(), static_cast<std::size_t>(got));
  }
  return text;
}

std::array<std::int64_t, 4> metadata_of(const std::string& path) {
  struct stat about = {};
  if (::lstat(path.c_str(), &about) != 0) return {};
  return {static_cast<std::int64_t>(about.st_ino), about.st_size, about.st_mtim.tv_sec,
          about.st_mtim.tv_nsec};
}

}  // namespace

CheckpointFile::CheckpointFile(const std::string& folder,
                               const std::optional<std::string>& checkpoint,
                               std::optional<uid_t> owner)
    : path_(folder + "/checkpoint"), known_(checkpoint.value_or("")), owner_(owner) {
  if (checkpoint) std::ofstream(path_, std::ios::binary) << *checkpoint;
  seen_ = metadata_of(path_);
}

std::optional<std::string> CheckpointFile::take() {
  const std::array<std::int64_t, 4> metadata = metadata_of(path_);
  if (metadata == seen_) return std::nullopt;
  seen_ = metadata;  // before reading: a later change is detected next time
  return take_last();
}

std::optional<std::string> CheckpointFile::take_last() {
  const std::string text = read_file(path_, owner_);
  const auto scanned = scan_json(text);
  if (!scanned || scanned->text == known_) return std::nullopt;
  known_ = std::string(scanned->text);
  return known_;
}

}  // namespace longshore
