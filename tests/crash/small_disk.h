// A real file system of a few megabytes that only this process sees, and that ends with it.
#pragma once

#include <string>

namespace longshore::crash {

// The process must have no other threads, and be root's or be allowed to make user namespaces.
class SmallDisk {
 public:
  // Mounts one over `directory`.
  SmallDisk(const std::string& directory, int megabytes);
  ~SmallDisk();
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  // Why it could not be mounted; empty: it is there.
  const std::string& problem() const { return problem_; }

 private:
  const std::string directory_;
  std::string problem_;
};

// A file that takes room, for as long as it exists.
class Ballast {
 public:
  // Takes all but `left` bytes of what is free.
  Ballast(const std::string& directory, long long left);
  ~Ballast() { remove(); }
  Ballast(const Ballast&) = delete;
  Ballast& operator=(const Ballast&) = delete;

  void remove();

 private:
  std::string path_;
};

}  // namespace longshore::crash
