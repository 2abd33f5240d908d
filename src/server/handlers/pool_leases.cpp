#include "server/handlers/pool_leases.h"

#include <algorithm>
#include <utility>

namespace longshore {

bool answers_for_stuck_jobs(const Rules& rules) {
  return rules.count_no_handler && rules.stuck_after != Duration::forever();
}

PoolLeases::PoolLeases(std::shared_ptr<Node> node) : inner_(node), node_(std::move(node)) {}

void PoolLeases::add_late(const std::string& queue) {
  MutexLock lock(mutex_);
  late_.insert(queue);
}

Result<Turned> PoolLeases::turn(Turn turn, std::stop_token stop) {
  return inner_.turn(std::move(turn), std::move(stop));
}

void PoolLeases::begin_turn(Turn turn, std::stop_token stop, Answer answer) {
  const std::shared_ptr<const Rules> rules = node_->rules();
  // No wake-up reaches a waiting claim when a stuck queue is found, so a claim waits no longer than
  // the interval between two searches.
  if (answers_for_stuck_jobs(*rules)) turn.wait = std::min(turn.wait, rules->sweep_every);
  std::set<std::string> queues = turn.claim ? late() : std::set<std::string>();
  if (queues.empty()) return inner_.begin_turn(std::move(turn), std::move(stop), std::move(answer));
  Turn first{.words = std::move(turn.words), .claim = turn.claim};
  first.claim->queues.assign(queues.begin(), queues.end());
  first.claim->queued_for = rules->stuck_after;
  turn.words.clear();
  inner_.begin_turn(std::move(first), stop,
                    [this, queues = std::move(queues), turn = std::move(turn), stop,
                     answer = std::move(answer)](Result<Turned> turned) {
                      if (!turned || !turned->leases || !turned->leases->empty())
                        return answer(turned);
                      forget(queues);
                      // The commands were committed: their verdicts hold even if the second claim
                      // fails.
                      inner_.begin_turn(
                          turn, stop,
                          [answer, said = std::move(*turned)](Result<Turned> second) mutable {
                            if (!second) {
                              said.leases = second.error();
                              return answer(std::move(said));
                            }
                            second->verdicts = std::move(said.verdicts);
                            answer(std::move(second));
                          });
                    });
}

void PoolLeases::wait_until(Instant at, std::stop_token stop) {
  inner_.wait_until(at, std::move(stop));
}

std::set<std::string> PoolLeases::late() {
  MutexLock lock(mutex_);
  return late_;
}

void PoolLeases::forget(const std::set<std::string>& queues) {
  MutexLock lock(mutex_);
  for (const std::string& queue : queues) late_.erase(queue);
}

}  // namespace longshore
