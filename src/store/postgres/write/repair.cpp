// Queued jobs that no claim could find. A commit writes a job and its place together, so there are
// none unless somebody else wrote to the tables; but a job that nobody runs is the worst that can
// happen here, and looking is cheap when it is spread out.
#include "store/postgres/write/transaction.h"

namespace longshore::postgres {
namespace {

constexpr std::int64_t looked_at_once = 1000;

// A stretch of the live jobs, from where the last sweep of any node stopped looking.
constexpr Sql next_stretch = {"SELECT id FROM @live WHERE id > $1 ORDER BY id OFFSET $2 LIMIT 1"};
constexpr Sql find_lost = {
    "SELECT id FROM @live AS job WHERE id > $1 AND id <= $2 AND state = 2 AND updated_at <= $3 "
    "AND NOT EXISTS (SELECT FROM @ready AS place WHERE place.ns = job.ns AND "
    "place.queue = job.queue AND place.priority = job.priority AND place.ord = job.ord AND "
    "place.job = job.id) ORDER BY id LIMIT $4"};

}  // namespace

std::vector<JobId> PostgresTransaction::lost(std::int64_t limit) {
  JobId begin;
  {
    MutexLock lock(shared_.mutex);
    begin = shared_.repair_from;
  }
  Parameters from;
  from.add(begin).add(looked_at_once - 1);
  RowSet stretch = connection_.ask(next_stretch, std::move(from));
  const bool more = stretch.next();
  const JobId end = more ? stretch.id<JobId>() : JobId{.high = ~0ULL, .low = ~0ULL};
  {
    MutexLock lock(shared_.mutex);
    shared_.repair_from = more ? end : JobId{};
  }
  Parameters parameters;
  parameters.add(begin).add(end).add(now_ - rules().stuck_after).add(limit);
  RowSet rows = connection_.ask(find_lost, std::move(parameters));
  std::vector<JobId> ids;
  while (rows.next()) ids.push_back(rows.id<JobId>());
  return ids;
}

void PostgresTransaction::put_back(execute::Entry& lost) {
  Entry& entry = static_cast<Entry&>(lost);
  entry.stored.ready.reset();
  hint(entry.job().ns, entry.job().queue);
  mark_dirty(entry);
}

}  // namespace longshore::postgres
