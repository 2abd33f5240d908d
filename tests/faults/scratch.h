// A real directory for one test.
#pragma once

#include <string>

namespace longshore::faults {

// An empty directory, removed at the end with all that is in it.
class Scratch {
 public:
  enum class Where {
    disk,    // where temporary files go
    memory,  // where a sync costs nothing, if the system has such a place
  };
  explicit Scratch(Where where = Where::disk);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::string& path() const { return path_; }
  // What is in it stays, for somebody to look at.
  void keep() { kept_ = true; }

 private:
  std::string path_;
  bool kept_ = false;
};

}  // namespace longshore::faults
