// The moves of a job that goes the usual way: created, queued, claimed once, completed. The rest of
// its record says all that its history would, so such a job has none in Redis, and is enqueued,
// claimed and completed without a history that is read, extended and written back. At the first
// move that differs, the history begins: with the first claim, if there was one; the two moves
// before that are always made from the record.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "longshore/job.h"
#include "store/redis/codec.h"

namespace longshore::redis {

// The lines that a job's history in Redis is to go on with when the job becomes `after` by these
// moves. Notes in `head`, whose job is as it was before, whether it is still on its usual way.
std::string history_lines(Head& head, const Job& after, std::span<const Transition> moves);

// What a job's HASH has as its history, with the usual moves that it leaves out.
std::vector<Transition> whole_history(const Head& head, const std::string& stored);

}  // namespace longshore::redis
