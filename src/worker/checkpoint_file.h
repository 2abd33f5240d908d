// The file through which a program saves checkpoints, and finds that of the attempt before.
#pragma once

#include <optional>
#include <string>

#include "worker/child.h"

namespace longshore {

class CheckpointFile {
 public:
  // In `folder`. There is no file while there is no checkpoint.
  CheckpointFile(const std::string& folder, const std::optional<std::string>& checkpoint);

  const std::string& path() const { return path_; }
  // Readable once the file was written and closed, or put in its place. Negative where the system
  // does not tell: then ask at the end.
  int number() const { return watch_.number(); }
  // What the file says if that is new, and JSON.
  std::optional<std::string> take();

 private:
  std::string path_;
  std::string known_;
  Descriptor watch_;
};

}  // namespace longshore
