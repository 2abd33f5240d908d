// What a claim may be given, and what it is given of a job.
#include <utility>

#include "store/postgres/unit_of_work.h"

namespace longshore::postgres {
namespace {

constexpr Sql load_bodies = {
    "SELECT id, payload, tags, metadata, request, traceparent, NULL FROM @body WHERE id = ANY($1)"};
constexpr Sql load_bodies_and_checkpoints = {
    "SELECT id, payload, tags, metadata, request, traceparent, "
    "(SELECT value FROM @checkpoint WHERE checkpoint.id = body.id) "
    "FROM @body AS body WHERE id = ANY($1)"};

}  // namespace

std::vector<JobId> UnitOfWork::of_claim(const RequestId& claim) {
  std::vector<JobId> ids;
  const auto [begin, end] = claims_.equal_range(claim);
  for (auto it = begin; it != end; ++it) ids.push_back(it->second);
  return ids;
}

Entry* UnitOfWork::next_ready(const Claim& claim, const std::string& queue,
                              const judge::Entry* after) {
  if (config_->pauses.contains({claim.ns, queue})) return nullptr;
  std::optional<ReadyPlace> place;
  if (after != nullptr) place = place_of(after->job());
  while (limits_.queue_is_free(claim.ns, queue)) {
    place = shelf_.next(claim, queue, place);
    Entry* entry = place ? find(place->job) : nullptr;
    if (entry == nullptr || limits_.type_is_free(claim.ns, entry->job().type)) return entry;
  }
  return nullptr;
}

std::int64_t UnitOfWork::bytes(judge::Entry& entry, bool with_checkpoint) {
  const Head& head = static_cast<Entry&>(entry).head;
  return head.body_bytes + (with_checkpoint ? head.checkpoint_bytes.value_or(0) : 0);
}

// A body that is not in memory is read when the transaction ends, and so is a checkpoint.
void UnitOfWork::fill(Lease& lease, judge::Entry& leased) {
  const Entry& entry = static_cast<Entry&>(leased);
  if (entry.body && !entry.head.checkpoint_bytes) {
    lease.body = *entry.body;
  } else {
    wanted_bodies_.push_back(entry.job().id);
    wants_checkpoints_ = wants_checkpoints_ || entry.head.checkpoint_bytes;
  }
}

bool UnitOfWork::line_up_bodies() {
  if (wanted_bodies_.empty()) return false;
  Parameters parameters;
  parameters.add(ids_column(wanted_bodies_));
  connection_.line_up(wants_checkpoints_ ? load_bodies_and_checkpoints : load_bodies,
                      std::move(parameters));
  return true;
}

void UnitOfWork::fill_bodies(RowSet rows, std::vector<Verdict>& verdicts) {
  std::unordered_map<JobId, int> row_of;
  row_of.reserve(static_cast<std::size_t>(rows.count()));
  for (int row = 0; rows.next(); ++row) row_of.emplace(rows.id<JobId>(), row);
  for (Verdict& verdict : verdicts) {
    Leased* leased = std::get_if<Leased>(&verdict);
    if (leased == nullptr) continue;
    for (Lease& lease : leased->leases) {
      const auto found = row_of.find(lease.job);
      if (!lease.body.payload.empty() || found == row_of.end()) continue;
      rows.go_to(found->second);
      rows.skip();
      lease.body = read_body(rows);
      lease.checkpoint = rows.optional_text();
    }
  }
}

}  // namespace longshore::postgres
