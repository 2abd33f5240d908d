// Which node this is. Jobs of a node's own workers carry its id, and a node that starts takes back
// what is marked with its own: so the id must be the same after a restart, and never that of
// another node which is alive. See docs/decisions/019-a-node-keeps-its-identity.md.
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
  std::unique_ptr<NodeFile> file = {};  // to be held as long as the node lives; null: none
  std::string warning = {};             // why it is not the one that was wanted; empty: it is
};

// Waits, by the machine's clock unless a test has another.
using Pause = std::function<void(Duration)>;
void pause_thread(Duration length);

// On a store of one process: that of its only node. On a shared one: by the name that was given,
// or by the node file, or else a new one. If another node may be alive with the same id, watches
// it for up to six seconds; if it is, the answer is a new id with a warning.
Result<NodeIdentity> identify(Backend& backend, Random& random, const OpenOptions& options,
                              const Pause& pause);

// The node has started: its file says so from now on.
void note_start(const NodeIdentity& identity, Catalog& catalog);

}  // namespace longshore
