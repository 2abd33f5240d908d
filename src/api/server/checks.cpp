// Checking the whole store.
#include <atomic>
#include <memory>
#include <utility>

#include "api/api.h"
#include "api/server/check_runner.h"
#include "api/server/routes.h"
#include "api/server/server_json.h"
#include "api/wire/calls.h"
#include "api/wire/query.h"
#include "core/rules/limits.h"
#include "core/text/time_text.h"

namespace longshore {
namespace {

// Findings name jobs of all namespaces.
bool sees_all(const Call& call) { return call.caller.ns == "default"; }

// One call that waits for the report. Shared by everything that may end the wait; the first
// answers.
class CheckCall : public std::enable_shared_from_this<CheckCall> {
 public:
  CheckCall(Api& api, CallRef call) : api_(api), call_(std::move(call)) {}

  void start(Duration wait) {
    const auto weak = weak_from_this();
    call_->exchange->on_gone([weak] {
      if (const auto self = weak.lock()) self->leave();
    });
    open_ = api_.open_calls().add(call_->caller.token, [weak] {
      const auto self = weak.lock();
      if (self && self->is_first()) self->api_.answer(self->call_, token_is_gone());
    });
    ticket_ = api_.checks().join(
        [self = shared_from_this()](const CheckReport& report) { self->report(report); });
    api_.timers().at(api_.timers().now() + wait, [weak] {
      if (const auto self = weak.lock()) self->give_up();
    });
  }

 private:
  bool is_first() { return !over_.exchange(true); }

  void leave() {
    over_ = true;
    api_.checks().leave(ticket_);
  }

  void report(const CheckReport& report) {
    if (!is_first()) return;
    if (!report.outcome) return api_.answer(call_, api_.problem_of(report.outcome.error()));
    api_.answer(call_, json_response(check_report_json(report, sees_all(*call_))));
  }

  void give_up() {
    if (!is_first()) return;
    const std::optional<CheckUnderWay> under_way = api_.checks().under_way();
    CheckUnderWay soon;
    soon.began = api_.timers().now();
    api_.answer(call_, json_response(check_progress_json(under_way.value_or(soon)), 202));
    api_.checks().leave(ticket_);
  }

  Api& api_;
  const CallRef call_;
  std::atomic<bool> over_ = false;
  std::atomic<CheckRunner::Ticket> ticket_ = 0;
  OpenCalls::RegistrationRef open_;
};

}  // namespace

void post_check(Api& api, CallRef call) {
  if (answered_for_body(api, call)) return;
  Query query(*call);
  const double wait = query.number("waitSeconds", 0, wait_seconds_max).value_or(wait_seconds_max);
  if (const auto problem = query.problem()) return api.answer(call, *problem);
  std::make_shared<CheckCall>(api, call)->start(duration_from_seconds(wait).value_or(Duration()));
}

void get_check(Api& api, CallRef call) {
  if (answered_for_query(api, call)) return;
  const auto last = api.checks().last();
  api.answer(call,
             json_response(checks_json(last.get(), api.checks().under_way(), sees_all(*call))));
}

}  // namespace longshore
