// A temporary folder for one attempt.
#pragma once

#include <string>
#include <utility>

#include "longshore/error.h"

namespace longshore {

class ScratchFolder {
 public:
  // Within `parent`, private to this user; empty: the system's temporary directory.
  static Result<ScratchFolder> make(const std::string& parent);
  ~ScratchFolder();  // removes it with its content, as far as possible
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;

  const std::string& path() const { return path_; }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// Why no folder can be created there; nothing if it can.
Result<Nothing> try_scratch_folder(const std::string& parent);

}  // namespace longshore
