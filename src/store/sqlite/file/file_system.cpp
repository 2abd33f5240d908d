#include "store/sqlite/file/file_system.h"

#include <fcntl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace longshore::sqlite {
namespace {

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Error cannot(const std::string& verb, const std::string& directory) {
  return {.code = Errc::refused,
          .message = "cannot " + verb + " the directory " + directory + ": " +
                     std::strerror(errno) + "; create it, or name a file elsewhere"};
}

}  // namespace

std::string_view network_file_system(std::int64_t magic) {
  switch (magic & 0xFFFFFFFF) {
    case 0x6969:
      return "NFS";
    case 0x517B:
    case 0xFF534D42:
    case 0xFE534D42:
      return "SMB";
    case 0x01021997:
      return "9p";
    case 0x00C36400:
      return "Ceph";
    case 0x5346414F:
    case 0x6B414653:
      return "AFS";
    case 0x73757245:
      return "Coda";
    case 0x564C:
      return "NCP";
    case 0x0BD00BD0:
      return "Lustre";
    default:
      return {};
  }
}

Result<Nothing> check_directory(const std::string& path_of_file) {
  const std::string directory = directory_of(path_of_file);
  struct statfs about {};
  if (::statfs(directory.c_str(), &about) != 0) return cannot("use", directory);
  const std::string_view network = network_file_system(static_cast<std::int64_t>(about.f_type));
  if (network.empty()) return Nothing{};
  return Error{.code = Errc::refused,
               .message = directory + " is on " + std::string(network) +
                          ", a network file system, where SQLite cannot keep its promises; move "
                          "the store to a local disk"};
}

Result<Nothing> sync_directory(const std::string& path_of_file) {
  const std::string directory = directory_of(path_of_file);
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return cannot("open", directory);
  const int failed = ::fsync(descriptor);
  const Error error = cannot("sync", directory);
  ::close(descriptor);
  if (failed != 0) return error;
  return Nothing{};
}

}  // namespace longshore::sqlite
