// A folder for one attempt, empty when it begins and gone when it ends.
#pragma once

#include <string>
#include <utility>

#include "longshore/error.h"

namespace longshore {

class ScratchFolder {
 public:
  // Within `parent`, for nobody else to read; empty: where the system keeps what is temporary.
  static Result<ScratchFolder> make(const std::string& parent);
  ~ScratchFolder();  // takes it away with everything in it, as far as that can be done
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;

  const std::string& path() const { return path_; }

 private:
  explicit ScratchFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// Why no folders can be made there: nothing if they can.
Result<Nothing> try_scratch_folder(const std::string& parent);

}  // namespace longshore
