// A real file system of a few megabytes, visible only to this process and unmounted with it.
#pragma once

#include <string>

namespace longshore::crash {

// The process must have no other threads, and be root or be allowed to create user namespaces.
class SmallDisk {
 public:
  // Mounts it over `directory`.
  SmallDisk(const std::string& directory, int megabytes);
  ~SmallDisk();
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  // Why it could not be mounted; empty: it is mounted.
  const std::string& problem() const { return problem_; }

 private:
  const std::string directory_;
  std::string problem_;
};

// A file that takes up space until it is removed.
class Ballast {
 public:
  // Takes up all free space but `left` bytes.
  Ballast(const std::string& directory, long long left);
  ~Ballast() { remove(); }
  Ballast(const Ballast&) = delete;
  Ballast& operator=(const Ballast&) = delete;

  void remove();

 private:
  std::string path_;
};

}  // namespace longshore::crash
