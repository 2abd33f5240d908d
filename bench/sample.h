// The rows that Longshore writes for one job in each state, column by column, so that a
// hand-written program can write the same.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace longshore::bench {

struct Blob {
  std::string bytes;
  friend bool operator==(const Blob&, const Blob&) = default;
};
using Value = std::variant<std::monostate, std::int64_t, double, std::string, Blob>;

struct Row {
  std::vector<std::string> names;
  std::vector<Value> values;

  std::size_t column(const std::string& name) const;
};

struct Sample {
  Row queued;   // of live
  Row running;  // of live
  Row done;
  Row body;
};

// Runs one job through a store of its own at `path`, which is removed again.
Sample take_sample(const std::string& path, bool keyed);

}  // namespace longshore::bench
