// The file through which a program saves checkpoints, and finds that of the attempt before.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace longshore {

class CheckpointFile {
 public:
  // In `folder`. There is no file while there is no checkpoint. With an `owner`, a file of another
  // user is not read: a program with fewer rights than the worker may have put a link there.
  CheckpointFile(const std::string& folder, const std::optional<std::string>& checkpoint,
                 std::optional<uid_t> owner = {});

  const std::string& path() const { return path_; }
  // What the file says if that is new, and JSON. Looks at the file alone and not into it as long as
  // it seems to be the same.
  std::optional<std::string> take();
  // The same, and looks into it.
  std::optional<std::string> take_last();

 private:
  std::string path_;
  std::string known_;
  std::optional<uid_t> owner_;
  std::array<std::int64_t, 4> seen_{};  // which file, how large, of when
};

}  // namespace longshore
