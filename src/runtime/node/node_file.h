// A file that belongs to one live node: it is held locked, and what is in it says which node held
// it last.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "longshore/error.h"
#include "longshore/id.h"
#include "longshore/time.h"

namespace longshore {

// Held until it is destroyed or the process ends, however it ends. The file stays behind.
class NodeFile {
 public:
  // The node that held the file last.
  struct Record {
    NodeId node;
    Instant started_at;    // by the store's clock
    bool is_here = false;  // it was written to this very file, since this machine was started
    friend bool operator==(const Record&, const Record&) = default;
  };

  // Makes the file, and the folder it is in. Errc::refused if another process holds it, if it is
  // another user's or if it cannot be written; the message says which.
  static Result<std::unique_ptr<NodeFile>> hold(const std::string& path);
  ~NodeFile();
  NodeFile(const NodeFile&) = delete;
  NodeFile& operator=(const NodeFile&) = delete;

  // None if the file is new or makes no sense.
  std::optional<Record> read() const;
  // False if it could not be written: the next holder then finds no record.
  bool write(const NodeId& node, Instant started_at);

 private:
  NodeFile(int descriptor, std::string place) : descriptor_(descriptor), place_(std::move(place)) {}

  const int descriptor_;
  const std::string place_;  // which file this is on which run of which machine
};

}  // namespace longshore
