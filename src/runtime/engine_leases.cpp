#include "runtime/engine_leases.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

namespace longshore {
namespace {

// One turn on its way: what has been answered of it so far. Shared by the answers still to come.
class TurnInHand : public std::enable_shared_from_this<TurnInHand> {
 public:
  // `node` must outlive it, which it does: it answers everything before it ends.
  TurnInHand(Node& node, const Turn& turn, Leases::Answer answer)
      : engine_(node.engine()),
        relay_(node.relay()),
        ns_(turn.claim ? turn.claim->ns : ""),
        answer_(std::move(answer)),
        words_missing_(turn.words.size()),
        claim_missing_(turn.claim.has_value()) {
    turned_.verdicts.resize(turn.words.size());
  }

  void put_word(std::size_t index, Result<Answered> answer) {
    bool all = false;
    std::optional<Dispatcher::Ticket> in_vain;
    {
      MutexLock lock(mutex_);
      words_missing_ -= 1;
      if (answer) {
        turned_.verdicts[index] = std::move(answer->verdict);
        turned_.at = std::max(turned_.at, answer->at);
      } else {
        error_ = answer.error();
      }
      all = is_over();
      in_vain = claim_in_vain();
    }
    if (in_vain) engine_.hasten(*in_vain);
    if (all) relay_.announce([hand = shared_from_this()] { hand->finish(); });
  }

  void put_claim(Result<Answered> answer) {
    bool all = false;
    {
      MutexLock lock(mutex_);
      claim_missing_ = false;
      keep(std::move(answer));
      all = is_over();
    }
    if (all) relay_.announce([hand = shared_from_this()] { hand->finish(); });
  }

  // Once the claim is on its way. When `stop` is requested it shall wait no longer.
  void may_hasten(Dispatcher::Ticket ticket, const std::stop_token& stop) {
    std::optional<Dispatcher::Ticket> in_vain;
    {
      MutexLock lock(mutex_);
      if (!claim_missing_) return;
      ticket_ = ticket;
      in_vain = claim_in_vain();
    }
    if (in_vain) engine_.hasten(ticket);
    hasten_.emplace(stop, Hasten{engine_, ticket});
  }

 private:
  // Touches nothing of itself once it has hastened: the answer may end the turn, and this with it.
  struct Hasten {
    Engine& engine;
    Dispatcher::Ticket ticket;
    void operator()() const { engine.hasten(ticket); }
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

  bool is_over() const {
    mutex_.assert_held();
    return words_missing_ == 0 && !claim_missing_;
  }

  // The words failed, so that what the claim brings will be of no use.
  std::optional<Dispatcher::Ticket> claim_in_vain() const {
    mutex_.assert_held();
    return error_ && words_missing_ == 0 && claim_missing_ ? ticket_ : std::nullopt;
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
    if (turned.leases) give_back(*turned.leases);
    answer_(std::move(*error));
  }

  // The worker does not get to know of them: back to the front of their queue.
  void give_back(const std::vector<Lease>& leases) {
    for (const Lease& lease : leases) {
      engine_.submit(Release{.ns = ns_, .job = lease.job, .token = lease.token},
                     [](const Result<Answered>&) {
                       // If this is lost too, the lease ends by itself.
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
  std::size_t words_missing_ LONGSHORE_GUARDED_BY(mutex_);
  bool claim_missing_ LONGSHORE_GUARDED_BY(mutex_);
  std::optional<Error> error_ LONGSHORE_GUARDED_BY(mutex_);
  std::optional<Dispatcher::Ticket> ticket_ LONGSHORE_GUARDED_BY(mutex_);

  // Touched by the thread that begins the turn, and at the end.
  std::optional<std::stop_callback<Hasten>> hasten_;
};

struct WaitingTurn {
  std::optional<Result<Turned>> turned;  // handed over by the signal
  Signal came;
};

template <class Said, class... Kinds>
constexpr bool is_one_of = (std::is_same_v<Said, Kinds> || ...);

}  // namespace

Result<Turned> EngineLeases::turn(Turn turn, std::stop_token stop) {
  auto waiting = std::make_shared<WaitingTurn>();
  Relay& relay = node_->relay();  // answers come while the node lives
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
  const auto hand = std::make_shared<TurnInHand>(*node_, turn, std::move(answer));
  for (std::size_t i = 0; i < turn.words.size(); ++i) {
    engine.submit(std::move(turn.words[i]),
                  [hand, i](Result<Answered> answered) { hand->put_word(i, std::move(answered)); });
  }
  if (!turn.claim) return;
  const Dispatcher::Ticket ticket =
      engine.claim(std::move(*turn.claim), now(), turn.wait,
                   [hand](Result<Answered> answered) { hand->put_claim(std::move(answered)); });
  hand->may_hasten(ticket, stop);
}

void EngineLeases::wait_until(Instant at, std::stop_token stop) {
  Alarm alarm(node_->time());
  const std::stop_callback wake(stop, [&alarm] { alarm.ring(); });
  while (now() < at && !stop.stop_requested()) alarm.wait_until(at);
}

std::optional<Error> EngineLeases::fill_in(Turn& turn) {
  const std::string& ns = node_->options().ns;
  bool understood = true;
  for (Command& command : turn.words) {
    std::visit(
        [&]<class Said>(Said& said) {
          if constexpr (is_one_of<Said, Heartbeat, Complete, Fail, Release, HandOff>) {
            if (said.ns.empty()) said.ns = ns;
          } else if constexpr (std::is_same_v<Said, SeeWorkers>) {
            for (WorkerInfo& info : said.workers) {
              if (info.ns.empty()) info.ns = ns;
              info.worker = worker_name(info.worker);
              info.node = node_->id;
            }
          } else {
            understood = false;
          }
          if constexpr (std::is_same_v<Said, Heartbeat>) {
            if (said.id == RequestId{}) said.id = node_->ids().any<RequestId>();
          }
        },
        command);
  }
  if (!understood) return Error{Errc::invalid, "a worker's words are about jobs it holds"};
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
