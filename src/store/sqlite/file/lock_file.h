// Keeps a second process away from a store, and tells it who is there.
#pragma once

#include <string>

#include "longshore/error.h"
#include "longshore/time.h"

namespace longshore::sqlite {

// Holds `path` until it is destroyed or the process ends, however it ends. The file stays behind:
// removing it would let two processes lock two files of the same name.
class LockFile {
 public:
  // Errc::refused with the holder's pid, program and start time if another holds it, or if the
  // file cannot be written.
  static Result<LockFile> take(const std::string& path, Instant now);

  // Whether the file says that a database was made beside it.
  bool was_made() const { return was_made_; }
  // From here on it says so.
  void note_made();

  LockFile(LockFile&& other) noexcept;
  LockFile& operator=(LockFile&&) = delete;
  ~LockFile();

 private:
  explicit LockFile(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
  bool was_made_ = false;
};

}  // namespace longshore::sqlite
