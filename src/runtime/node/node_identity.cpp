#include "runtime/node/node_identity.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "core/ids/uuid.h"
#include "core/text/hash.h"

namespace longshore {
namespace {

// Nodes send SeeNode every two seconds.
constexpr Duration silent_for = Duration::seconds(6);
constexpr Duration between_looks = Duration::millis(250);

NodeId id_of(const std::string& name) {
  const Hash128 hash = hash128("longshore node\n" + name);
  return {.high = hash.high, .low = hash.low};
}

Result<std::optional<NodeView>> find_node(Catalog& catalog, const NodeId& id) {
  const Result<std::vector<NodeView>> known = catalog.nodes();
  if (!known) return known.error();
  const auto found = std::ranges::find(*known, id, &NodeView::node);
  return found == known->end() ? std::nullopt : std::optional(*found);
}

// A store that is not shared has only ever had one node.
Result<NodeIdentity> only_node(Catalog& catalog, Random& random) {
  const Result<std::vector<NodeView>> known = catalog.nodes();
  if (!known) return known.error();
  const auto latest = std::ranges::max_element(*known, {}, &NodeView::seen_at);
  return NodeIdentity{latest != known->end() ? latest->node : random_id<NodeId>(random)};
}

// The last process with this id held the lock of this file, which we hold now.
bool is_known_dead(const NodeView& last, const NodeFile* file) {
  const auto record = file != nullptr ? file->read() : std::nullopt;
  return record && record->is_here && record->node == last.node &&
         record->started_at == last.started_at;
}

// Whether a node with this id is alive. One that has just died counts as alive until it has been
// silent for a while.
Result<bool> is_alive(Catalog& catalog, const NodeId& id, const NodeFile* file,
                      const Pause& pause) {
  const Result<std::optional<NodeView>> first = find_node(catalog, id);
  if (!first) return first.error();
  if (!*first || is_known_dead(**first, file)) return false;
  while (true) {
    const Result<Instant> now = catalog.now();
    if (!now) return now.error();
    if (*now - (*first)->seen_at > silent_for) return false;
    pause(between_looks);
    const Result<std::optional<NodeView>> last = find_node(catalog, id);
    if (!last) return last.error();
    if (!*last) return false;
    if (**last != **first) return true;
  }
}

}  // namespace

void pause_thread(Duration length) {
  std::this_thread::sleep_for(std::chrono::milliseconds(length.count()));
}

Result<NodeIdentity> identify(Backend& backend, Random& random, const OpenOptions& options,
                              const Pause& pause) {
  Catalog& catalog = backend.catalog();
  if (!backend.store().capabilities().shared) return only_node(catalog, random);
  NodeIdentity identity{random_id<NodeId>(random)};
  if (!options.node_file.empty()) {
    auto held = NodeFile::hold(options.node_file);
    if (held) identity.file = std::move(*held);
    if (!held) identity.warning = held.error().message;
  }
  std::optional<NodeId> wanted;
  const auto record = identity.file ? identity.file->read() : std::nullopt;
  if (record) wanted = record->node;
  if (!options.node_name.empty()) wanted = id_of(options.node_name);
  if (!wanted) return identity;
  const Result<bool> taken = is_alive(catalog, *wanted, identity.file.get(), pause);
  if (!taken) return taken.error();
  if (!*taken) {
    identity.id = *wanted;
    if (!options.node_name.empty()) identity.warning.clear();  // the name suffices
    return identity;
  }
  identity.warning =
      options.node_name.empty()
          ? "another live node has the identity in " + options.node_file + ", which may be a copy"
          : "another live node has the name " + options.node_name +
                "; give each node a unique name";
  return identity;
}

void note_start(const NodeIdentity& identity, Catalog& catalog) {
  if (!identity.file) return;
  const auto self = find_node(catalog, identity.id);
  // A failed write is harmless: the next start waits up to six seconds.
  if (self && *self) identity.file->write(identity.id, (*self)->started_at);
}

}  // namespace longshore
