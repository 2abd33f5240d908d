// A temporary directory for one test.
#pragma once

#include <string>

namespace longshore::faults {

// An empty directory, removed at the end with its content.
class Scratch {
 public:
  enum class Where {
    disk,    // the system's temporary directory
    memory,  // a file system in memory, where a sync costs nothing, if there is one
  };
  explicit Scratch(Where where = Where::disk);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& path() const { return path_; }
  // Keeps the directory for inspection.
  void keep() { kept_ = true; }

 private:
  std::string path_;
  bool kept_ = false;
};

}  // namespace longshore::faults
