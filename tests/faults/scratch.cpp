#include "faults/scratch.h"

#include <stdlib.h>

#include <filesystem>

#include "core/assert.h"

namespace longshore::faults {

namespace {

std::filesystem::path parent(Scratch::Where where) {
  const std::filesystem::path memory = "/dev/shm";
  const bool there = where == Scratch::Where::memory && std::filesystem::is_directory(memory);
  return there ? memory : std::filesystem::temp_directory_path();
}

}  // namespace

Scratch::Scratch(Where where) : path_(parent(where) / "longshore-XXXXXX") {
  LONGSHORE_ASSERT(::mkdtemp(path_.data()) != nullptr, "a temporary directory can be created");
}

Scratch::~Scratch() {
  std::error_code ignored;
  if (!kept_) std::filesystem::remove_all(path_, ignored);
}

}  // namespace longshore::faults
