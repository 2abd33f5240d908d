// The file in which a program saves its checkpoints and finds that of the previous attempt.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace longshore {

class CheckpointFile {
 public:
  // In `folder`; without a checkpoint there is no file. With an `owner`, a file of another user is
  // not read: a program with fewer rights than the worker may have put a link there.
  CheckpointFile(const std::string& folder, const std::optional<std::string>& checkpoint,
                 std::optional<uid_t> owner = {});

  const std::string& path() const { return path_; }
  // The file's content if it is new and valid JSON. Reads the file only if its metadata has
  // changed.
  std::optional<std::string> take();
  // The same, but always reads it.
  std::optional<std::string> take_last();

 private:
  std::string path_;
  std::string known_;
  std::optional<uid_t> owner_;
  std::array<std::int64_t, 4> seen_{};  // inode, size, modification time
};

}  // namespace longshore
