#include "worker/checkpoint_file.h"

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>
#include <string_view>

#include "core/json_scan.h"
#include "core/stored_json.h"

namespace longshore {
namespace {

constexpr std::string_view name = "checkpoint";

// It is the program's own to write, so it may be anything: a pipe, a link, or without an end.
std::string read_file(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat about = {};
  if (!file.is_open() || ::fstat(file.number(), &about) != 0 || !S_ISREG(about.st_mode)) return "";
  std::string text;
  std::array<char, 16 * 1024> some;
  while (text.size() <= checkpoint_bytes_max) {
    const ssize_t got = ::read(file.number(), some.data(), some.size());
    if (got <= 0) break;
    text.append(some.data(), static_cast<std::size_t>(got));
  }
  return text;
}

// Whether what has happened in the folder so far is about the file, or too much to say.
bool tells_of_it(const Descriptor& watch) {
  bool told = false;
  alignas(struct inotify_event) std::array<char, 4096> events;
  ssize_t got = 0;
  while ((got = ::read(watch.number(), events.data(), events.size())) > 0) {
    for (ssize_t at = 0; at < got;) {
      struct inotify_event event = {};
      std::memcpy(&event, events.data() + at, sizeof(event));
      const std::string_view rest(events.data() + at + sizeof(event), event.len);
      told = told || rest.substr(0, rest.find('\0')) == name || (event.mask & IN_Q_OVERFLOW) != 0;
      at += static_cast<ssize_t>(sizeof(event) + event.len);
    }
  }
  return told;
}

}  // namespace

CheckpointFile::CheckpointFile(const std::string& folder,
                               const std::optional<std::string>& checkpoint)
    : path_(folder + "/" + std::string(name)), known_(checkpoint.value_or("")) {
  if (checkpoint) std::ofstream(path_, std::ios::binary) << *checkpoint;
  watch_ = Descriptor(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!watch_.is_open()) return;
  const auto what = IN_CLOSE_WRITE | IN_MOVED_TO;
  if (::inotify_add_watch(watch_.number(), folder.c_str(), what) < 0) watch_.close();
}

std::optional<std::string> CheckpointFile::take() {
  if (watch_.is_open() && !tells_of_it(watch_)) return std::nullopt;
  const std::string text = read_file(path_);
  const auto scanned = scan_json(text);
  if (!scanned || scanned->text == known_) return std::nullopt;
  known_ = std::string(scanned->text);
  return known_;
}

}  // namespace longshore
