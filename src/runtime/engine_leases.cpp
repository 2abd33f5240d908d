#include "runtime/engine_leases.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

namespace longshore {
namespace {

// A turn in progress, with the answers so far. Shared by the callbacks of the others.
class PendingTurn : public std::enable_shared_from_this<PendingTurn> {
 public:
  // `node` outlives this, because it answers everything before it is destroyed.
  PendingTurn(Node& node, const Turn& turn, Leases::Answer answer)
      : engine_(node.engine()),
        relay_(node.relay()),
        ns_(turn.claim ? turn.claim->ns : ""),
        answer_(std::move(answer)),
        commands_missing_(turn.words.size()),
        claim_missing_(turn.claim.has_value()) {
    turned_.verdicts.resize(turn.words.size());
  }

  void set_verdict(std::size_t index, Result<Answered> answer) {
    bool all = false;
    std::optional<Dispatcher::Ticket> useless;
    {
      MutexLock lock(mutex_);
      commands_missing_ -= 1;
      if (answer) {
        turned_.verdicts[index] = std::move(answer->verdict);
        turned_.at = std::max(turned_.at, answer->at);
      } else {
        error_ = answer.error();
      }
      all = is_complete();
      useless = useless_claim();
    }
    if (useless) engine_.end_wait(*useless);
    if (all) relay_.announce([pending = shared_from_this()] { pending->finish(); });
  }

  void set_leases(Result<Answered> answer) {
    bool all = false;
    {
      MutexLock lock(mutex_);
      claim_missing_ = false;
      keep(std::move(answer));
      all = is_complete();
    }
    if (all) relay_.announce([pending = shared_from_this()] { pending->finish(); });
  }

  // Ends the wait of the claim when `stop` is requested. Called once the claim is submitted.
  void end_wait_on(Dispatcher::Ticket ticket, const std::stop_token& stop) {
    std::optional<Dispatcher::Ticket> useless;
    {
      MutexLock lock(mutex_);
      if (!claim_missing_) return;
      ticket_ = ticket;
      useless = useless_claim();
    }
    if (useless) engine_.end_wait(ticket);
    on_stop_.emplace(stop, EndWait{engine_, ticket});
  }

 private:
  // Must not access itself after end_wait: the answer may destroy the turn, and this with it.
  struct EndWait {
    Engine& engine;
    Dispatcher::Ticket ticket;
    void operator()() const { engine.end_wait(ticket); }
  };

  void keep(Result<Answered> answer) {
    mutex_.assert_held();
    if (!answer) {
      turned_.leases = answer.error();
    } else if (auto* leased = std::get_if<Leased>(&answer->verdict)) {
      turned_.leases = std::move(leased->leases);
      turned_.at = std::max(turned_.at, answer->at);
    } else if (const auto* refusal = std::get_if<Refusal>(&answer->verdict)) {
      turned_.leases = to_error(*refusal);
    }
  }

  bool is_complete() const {
    mutex_.assert_held();
    return commands_missing_ == 0 && !claim_missing_;
  }

  // The claim, if the commands failed and its leases would be released anyway.
  std::optional<Dispatcher::Ticket> useless_claim() const {
    mutex_.assert_held();
    return error_ && commands_missing_ == 0 && claim_missing_ ? ticket_ : std::nullopt;
  }

  void finish() {
    std::optional<Error> error;
    Turned turned;
    {
      MutexLock lock(mutex_);
      error = std::move(error_);
      turned = std::move(turned_);
    }
    if (!error) return answer_(std::move(turned));
    if (turned.leases) release_all(*turned.leases);
    answer_(std::move(*error));
  }

  // The worker does not receive these leases, so their jobs return to the front of their queue.
  void release_all(const std::vector<Lease>& leases) {
    for (const Lease& lease : leases) {
      engine_.submit(Release{.ns = ns_, .job = lease.job, .token = lease.token},
                     [](const Result<Answered>&) {
                       // If the release is lost, the lease expires.
                     });
    }
  }

  Engine& engine_;
  Relay& relay_;
  const std::string ns_;
  const Leases::Answer answer_;

  mutable Mutex mutex_;
  // Guarded by mutex_.
  Turned turned_ LONGSHORE_GUARDED_BY(mutex_);
  std::size_t commands_missing_ LONGSHORE_GUARDED_BY(mutex_);
  bool claim_missing_ LONGSHORE_GUARDED_BY(mutex_);
  std::optional<Error> error_ LONGSHORE_GUARDED_BY(mutex_);
  std::optional<Dispatcher::Ticket> ticket_ LONGSHORE_GUARDED_BY(mutex_);

  // Accessed by the thread that begins the turn, and by the destructor.
  std::optional<std::stop_callback<EndWait>> on_stop_;
};

struct WaitingTurn {
  std::optional<Result<Turned>> turned;  // published by the signal
  Signal came;
};

template <class CommandType, class... Kinds>
constexpr bool is_one_of = (std::is_same_v<CommandType, Kinds> || ...);

}  // namespace

Result<Turned> EngineLeases::turn(Turn turn, std::stop_token stop) {
  auto waiting = std::make_shared<WaitingTurn>();
  Relay& relay = node_->relay();  // outlives all answers
  begin_turn(std::move(turn), std::move(stop), [waiting, &relay](Result<Turned> turned) {
    waiting->turned = std::move(turned);
    relay.announce(Relay::Sleeper(waiting, &waiting->came));
  });
  waiting->came.wait();
  relay.pass_on();
  return std::move(*waiting->turned);
}

void EngineLeases::begin_turn(Turn turn, std::stop_token stop, Answer answer) {
  if (auto error = node_->out_of_service()) return answer(*error);
  if (auto error = fill_in(turn)) return answer(*error);
  if (turn.words.empty() && !turn.claim) return answer(Turned());
  Engine& engine = node_->engine();
  const auto pending = std::make_shared<PendingTurn>(*node_, turn, std::move(answer));
  for (std::size_t i = 0; i < turn.words.size(); ++i) {
    engine.submit(std::move(turn.words[i]), [pending, i](Result<Answered> answered) {
      pending->set_verdict(i, std::move(answered));
    });
  }
  if (!turn.claim) return;
  const Dispatcher::Ticket ticket = engine.claim(
      std::move(*turn.claim), now(), turn.wait,
      [pending](Result<Answered> answered) { pending->set_leases(std::move(answered)); });
  pending->end_wait_on(ticket, stop);
}

void EngineLeases::wait_until(Instant at, std::stop_token stop) {
  Alarm alarm(node_->time());
  const std::stop_callback wake(stop, [&alarm] { alarm.wake(); });
  while (now() < at && !stop.stop_requested()) alarm.wait_until(at);
}

std::optional<Error> EngineLeases::fill_in(Turn& turn) {
  const std::string& ns = node_->options().ns;
  bool valid = true;
  for (Command& command : turn.words) {
    std::visit(
        [&]<class CommandType>(CommandType& one) {
          if constexpr (is_one_of<CommandType, Heartbeat, Complete, Fail, Release, HandOff>) {
            if (one.ns.empty()) one.ns = ns;
          } else if constexpr (std::is_same_v<CommandType, SeeWorkers>) {
            for (WorkerInfo& info : one.workers) {
              if (info.ns.empty()) info.ns = ns;
              info.worker = worker_name(info.worker);
              info.node = node_->id;
            }
          } else {
            valid = false;
          }
          if constexpr (std::is_same_v<CommandType, Heartbeat>) {
            if (one.id == RequestId{}) one.id = node_->ids().any<RequestId>();
          }
        },
        command);
  }
  if (!valid)
    return Error{Errc::invalid, "a turn can contain heartbeats, outcomes and SeeWorkers only"};
  if (!turn.claim) return std::nullopt;
  if (turn.claim->ns.empty()) turn.claim->ns = ns;
  if (turn.claim->id == RequestId{}) turn.claim->id = node_->ids().any<RequestId>();
  turn.claim->worker = worker_name(turn.claim->worker);
  turn.claim->node = node_->id;
  return std::nullopt;
}

std::string EngineLeases::worker_name(const std::string& given) const {
  return given.empty() ? to_hex(node_->id) : given;
}

}  // namespace longshore
