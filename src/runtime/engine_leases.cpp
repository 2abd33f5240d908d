#include "runtime/engine_leases.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

namespace longshore {
namespace {

// What has been answered of a turn so far. Shared by the thread that waits and by the answers.
class TurnReply {
 public:
  TurnReply(std::size_t words, bool claims) : words_missing_(words), claim_missing_(claims) {
    turned_.verdicts.resize(words);
  }

  void put_word(std::size_t index, Result<Answered> answer) {
    bool ready = false;
    {
      MutexLock lock(mutex_);
      words_missing_ -= 1;
      if (answer) {
        turned_.verdicts[index] = std::move(answer->verdict);
        turned_.at = std::max(turned_.at, answer->at);
      } else {
        error_ = answer.error();
      }
      ready = over();
    }
    if (ready) changed_.set();
  }

  void put_claim(Result<Answered> answer) {
    bool ready = false;
    {
      MutexLock lock(mutex_);
      claim_missing_ = false;
      keep(std::move(answer));
      ready = over();
    }
    if (ready) changed_.set();
  }

  // Blocks until all is answered, or until it is time to hasten the claim: a word failed, or
  // `stop` was requested. True if the claim is missing.
  bool wait(const std::stop_token& stop) {
    const std::stop_callback wake(stop, [this] { changed_.set(); });
    while (true) {
      {
        MutexLock lock(mutex_);
        if (over() || stop.stop_requested()) return claim_missing_;
      }
      changed_.wait();
    }
  }

  void wait_for_all() {
    while (true) {
      {
        MutexLock lock(mutex_);
        complete_ = true;
        if (over()) return;
      }
      changed_.wait();
    }
  }

  // REQUIRES: nothing is missing. An Error leaves what was leased in `unwanted`.
  Result<Turned> take(std::vector<Lease>& unwanted) {
    MutexLock lock(mutex_);
    if (!error_) return std::move(turned_);
    if (turned_.leases) unwanted = std::move(*turned_.leases);
    return *error_;
  }

 private:
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

  bool over() const {
    mutex_.assert_held();
    return words_missing_ == 0 && (!claim_missing_ || (error_ && !complete_));
  }

  Signal changed_;
  mutable Mutex mutex_;
  // Guarded by mutex_.
  Turned turned_ LONGSHORE_GUARDED_BY(mutex_);
  std::size_t words_missing_ LONGSHORE_GUARDED_BY(mutex_);
  bool claim_missing_ LONGSHORE_GUARDED_BY(mutex_);
  std::optional<Error> error_ LONGSHORE_GUARDED_BY(mutex_);
  bool complete_ LONGSHORE_GUARDED_BY(mutex_) = false;  // nothing less will do
};

// The worker does not get to know of them: back to the front of their queue.
void give_back(Engine& engine, const std::string& ns, const std::vector<Lease>& leases) {
  for (const Lease& lease : leases) {
    engine.submit(Release{.ns = ns, .job = lease.job, .token = lease.token},
                  [](const Result<Answered>&) {
                    // If this is lost too, the lease ends by itself.
                  });
  }
}

template <class Said, class... Kinds>
constexpr bool is_one_of = (std::is_same_v<Said, Kinds> || ...);

}  // namespace

Result<Turned> EngineLeases::turn(Turn turn, std::stop_token stop) {
  if (auto error = node_->out_of_service()) return *error;
  if (auto error = fill_in(turn)) return *error;
  auto reply = std::make_shared<TurnReply>(turn.words.size(), turn.claim.has_value());
  for (std::size_t i = 0; i < turn.words.size(); ++i) {
    node_->engine().submit(std::move(turn.words[i]), [reply, i](Result<Answered> answer) {
      reply->put_word(i, std::move(answer));
    });
  }
  Dispatcher::Ticket ticket = 0;
  const std::string ns = turn.claim ? turn.claim->ns : "";
  if (turn.claim) {
    // The past for a claim that is not to wait: it is then answered by its first try.
    const Instant until = turn.wait > Duration() ? now() + turn.wait : Instant();
    ticket = node_->engine().claim(std::move(*turn.claim), until, [reply](Result<Answered> answer) {
      reply->put_claim(std::move(answer));
    });
  }
  if (reply->wait(stop)) node_->engine().hasten(ticket);
  reply->wait_for_all();
  std::vector<Lease> unwanted;
  Result<Turned> turned = reply->take(unwanted);
  give_back(node_->engine(), ns, unwanted);
  return turned;
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
