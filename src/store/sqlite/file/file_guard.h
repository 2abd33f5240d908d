// Holds the database file itself, whatever names lead to it, and notices when it is no longer the
// file at its path. What is written to a file that was removed, replaced or cut short is lost,
// though SQLite says that it was written.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "longshore/error.h"

namespace longshore::sqlite {

// Errc::corrupt if the database is missing or empty though files beside it show that there was one
// (`was_made`: its lock file says so).
Result<Nothing> check_presence(const std::string& path, bool was_made);

// Used by one thread at a time. Must outlive every connection of this process to the file: closing
// any descriptor of a file ends the locks that SQLite has on it.
class FileGuard {
 public:
  // REQUIRES: the file exists. Errc::refused if another process holds it, also under another name,
  // and if it has several names; Errc::corrupt if it is shorter than it says.
  static Result<std::unique_ptr<FileGuard>> hold(const std::string& path);
  ~FileGuard();
  FileGuard(const FileGuard&) = delete;
  FileGuard& operator=(const FileGuard&) = delete;

  // Why what was written may be gone; none if path and file are as they were.
  std::optional<std::string> fault();

 private:
  struct Identity {
    dev_t device = 0;
    ino_t file = 0;
    friend auto operator<=>(const Identity&, const Identity&) = default;
  };
  class Held;  // the files that this process holds

  FileGuard(std::string path, std::string log, int descriptor, Identity identity);

  const std::string path_;
  const std::string log_path_;
  const int descriptor_;
  const Identity identity_;
  std::optional<Identity> log_;  // once there is one
  std::int64_t size_ = 0;        // it only grows
};

}  // namespace longshore::sqlite
