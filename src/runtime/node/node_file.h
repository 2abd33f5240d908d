// The node file: locked by a live node, and recording which node locked it last.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "longshore/error.h"
#include "longshore/id.h"
#include "longshore/time.h"

namespace longshore {

// Locked until it is destroyed or the process ends in any way. The file remains.
class NodeFile {
 public:
  // The node that locked the file last.
  struct Record {
    NodeId node;
    Instant started_at;    // by the store's clock
    bool is_here = false;  // written to this file since the machine was booted
    friend bool operator==(const Record&, const Record&) = default;
  };

  // Creates the file and its folder if necessary. Errc::refused if another process holds the lock,
  // if the file belongs to another user, or if it cannot be written; the message says which.
  static Result<std::unique_ptr<NodeFile>> hold(const std::string& path);
  ~NodeFile();
  NodeFile(const NodeFile&) = delete;
  NodeFile& operator=(const NodeFile&) = delete;

  // None if the file is new or invalid.
  std::optional<Record> read() const;
  // False if it could not be written; the next node then finds no record.
  bool write(const NodeId& node, Instant started_at);

 private:
  NodeFile(int descriptor, std::string location)
      : descriptor_(descriptor), location_(std::move(location)) {}

  const int descriptor_;
  const std::string location_;  // identifies the file, the machine and its boot
};

}  // namespace longshore
