#include "engine/urgency.h"

#include <type_traits>

namespace longshore {
namespace {

template <class C, class... Kinds>
constexpr bool is_one_of = (std::is_same_v<C, Kinds> || ...);

std::size_t bytes_of(const JobBody& body) {
  return body.payload.size() + body.metadata.size() + body.request.size();
}

Weight weigh(const Enqueue& enqueue) {
  Weight weight{.jobs = enqueue.jobs.size()};
  for (const NewJob& job : enqueue.jobs) weight.bytes += bytes_of(job.body);
  return weight;
}
Weight weigh(const Claim& claim) {
  const std::size_t types = claim.types ? claim.types->size() : 1;
  return {.jobs = static_cast<std::size_t>(claim.limit > 0 ? claim.limit : 1),
          .lookups = claim.queues.size() * types};
}
Weight weigh(const Heartbeat& beat) {
  return {.bytes = beat.log.size() + (beat.checkpoint ? beat.checkpoint->size() : 0)};
}
Weight weigh(const Complete& complete) {
  return {.bytes = complete.result.size() + complete.log.size()};
}
Weight weigh(const Fail& fail) {
  return {.bytes = fail.error.message.size() + fail.error.details.size() + fail.log.size()};
}
template <class Other>
Weight weigh(const Other&) {
  return {};
}

}  // namespace

Urgency urgency_of(const Command& command) {
  return std::visit(
      []<class C>(const C&) {
        if constexpr (is_one_of<C, Heartbeat, Complete, Fail, Release, HandOff, FinishByKey>) {
          return Urgency::settle;
        } else if constexpr (is_one_of<C, Claim, SeeWorkers>) {
          return Urgency::lease;
        } else if constexpr (is_one_of<C, Due, Reap, Sweep, Prune, SeeNode, RecordMinutes,
                                       TouchToken>) {
          return Urgency::upkeep;
        } else {
          return Urgency::enqueue;
        }
      },
      command);
}

Weight weight_of(const Command& command) {
  return std::visit([](const auto& one) { return weigh(one); }, command);
}

}  // namespace longshore
