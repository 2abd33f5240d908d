#include "runtime/node/node_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <utility>

namespace longshore {
namespace {

constexpr const char* heading = "longshore-node-1";

std::string read_some(int descriptor) {
  std::array<char, 512> text;
  const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
  return size <= 0 ? "" : std::string(text.data(), static_cast<std::size_t>(size));
}

// A new random id at each boot of the machine.
std::string boot_id() {
  const int descriptor = ::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return "";
  const std::string text = read_some(descriptor);
  ::close(descriptor);
  return text.substr(0, text.find('\n'));
}

// Identifies this file on this machine since its boot. A copy differs, and so does the same file
// mounted on another machine.
std::string location_of(const struct stat& file) {
  const std::string boot = boot_id();
  if (boot.empty()) return "";
  return boot + ":" + std::to_string(file.st_dev) + ":" + std::to_string(file.st_ino);
}

std::optional<NodeId> parse_node(const std::string& hex) {
  if (hex.size() != 32 || hex.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return std::nullopt;
  }
  return NodeId{.high = std::stoull(hex.substr(0, 16), nullptr, 16),
                .low = std::stoull(hex.substr(16), nullptr, 16)};
}

Error refused(const std::string& path, const std::string& why) {
  return {Errc::refused, "the node file " + path + " " + why};
}

}  // namespace

Result<std::unique_ptr<NodeFile>> NodeFile::hold(const std::string& path) {
  std::error_code unmade;  // reported by open() below
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, unmade);
  const int descriptor =
      ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  if (descriptor < 0) return refused(path, "cannot be written: " + std::string(strerror(errno)));
  struct stat file = {};
  const bool known = ::fstat(descriptor, &file) == 0;
  std::unique_ptr<NodeFile> held(new NodeFile(descriptor, known ? location_of(file) : ""));
  if (!known || !S_ISREG(file.st_mode) || file.st_uid != ::geteuid()) {
    return refused(path, "is not a regular file of the user who runs Longshore");
  }
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    return refused(path, "is held by another process");
  }
  return held;
}

NodeFile::~NodeFile() { ::close(descriptor_); }

std::optional<NodeFile::Record> NodeFile::read() const {
  std::istringstream text(read_some(descriptor_));
  std::string first, node, location;
  std::int64_t started = 0;
  if (!(text >> first >> node >> started >> location) || first != heading) return std::nullopt;
  const std::optional<NodeId> id = parse_node(node);
  if (!id) return std::nullopt;
  return Record{.node = *id,
                .started_at = Instant::millis(started),
                .is_here = !location_.empty() && location == location_};
}

bool NodeFile::write(const NodeId& node, Instant started_at) {
  const std::string text = std::string(heading) + " " + to_hex(node) + " " +
                           std::to_string(started_at.count()) + " " +
                           (location_.empty() ? "nowhere" : location_) + "\n";
  if (::ftruncate(descriptor_, 0) != 0) return false;
  const ssize_t written = ::pwrite(descriptor_, text.data(), text.size(), 0);
  return written == static_cast<ssize_t>(text.size()) && ::fdatasync(descriptor_) == 0;
}

}  // namespace longshore
