// The identity of a node. Jobs record the id of the node whose workers run them, and a starting
// node recovers the jobs with its own id. So the id must survive a restart and must not be that of
// another live node. See docs/decisions/019-a-node-keeps-its-identity.md.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/ids/random.h"
#include "longshore/open.h"
#include "runtime/node/node_file.h"

namespace longshore {

struct NodeIdentity {
  NodeId id;
  std::unique_ptr<NodeFile> file = {};  // kept while the node lives; may be null
  std::string warning = {};  // why the requested identity could not be used; empty if it could
};

// Sleeps; tests replace it.
using Pause = std::function<void(Duration)>;
void pause_thread(Duration length);

// For a store that is not shared: the id of its only node. Otherwise from the configured name, else
// from the node file, else a new one. If another node with this id may be alive, watches it for up
// to six seconds; if it is alive, the result is a new id with a warning.
Result<NodeIdentity> identify(Backend& backend, Random& random, const OpenOptions& options,
                              const Pause& pause);

// Records the start in the node file.
void note_start(const NodeIdentity& identity, Catalog& catalog);

}  // namespace longshore
