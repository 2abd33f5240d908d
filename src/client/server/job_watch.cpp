#include "client/server/job_watch.h"

#include "client/server/either_stop.h"
#include "client/wire/job_wire.h"

namespace longshore {
namespace {

constexpr Duration silence_max = Duration::seconds(60);  // the server sends keep-alives more often

}  // namespace

JobWatch::JobWatch(ServerCaller& caller, const JobId& job, const Client::Seen& seen,
                   std::int64_t after)
    : caller_(caller),
      job_(job),
      seen_(seen),
      reader_([this](std::string_view id, std::string_view data) { take(id, data); }),
      after_(after),
      heard_(ServerCaller::now()) {}

void JobWatch::take(std::string_view id, std::string_view data) {
  if (enough_.stop_requested()) return;
  const std::optional<Transition> transition = read_transition(id, data);
  if (!transition || transition->seq <= after_) return;
  after_ = transition->seq;
  state_ = transition->to;
  if (!seen_(*transition)) enough_.request_stop();
}

Result<HttpReply> JobWatch::follow(const std::stop_token& stop) {
  HttpCall call{.path = "/jobs/" + to_text(job_) + "/events", .timeout = silence_max};
  if (after_ > 0) call.headers.emplace_back("Last-Event-ID", std::to_string(after_));
  call.on_body = [this](std::string_view piece) {
    heard_ = ServerCaller::now();
    reader_.read(piece);
  };
  reader_.restart();
  const EitherStop either(stop, enough_.get_token());
  return caller_.ask_once(call, either.token());
}

// The reason to reconnect.
Error JobWatch::error_after(const Result<HttpReply>& reply) const {
  if (!reply) return reply.error();
  if (reply->status != 200) return caller_.error_of(*reply);
  return {Errc::unavailable,
          caller_.url() + " ended the events of job " + to_text(job_) + " before the job ended"};
}

Result<bool> JobWatch::has_ended() {
  const Result<HttpReply> reply = caller_.ask({.path = "/jobs/" + to_text(job_)});
  if (!reply) return reply.error();
  const Result<JobRecord> job = read_public_job(*reply);
  if (!job) return job.error();
  return is_terminal(job->job.state);
}

Result<std::int64_t> JobWatch::run(const std::stop_token& stop) {
  for (int tries = 0;; ++tries) {
    const std::int64_t before = after_;
    const Result<HttpReply> reply = follow(stop);
    if (stop.stop_requested() || enough_.stop_requested()) return after_;
    const bool whole = reply && reply->status == 200;
    if (whole) {
      heard_ = ServerCaller::now();
      if (state_ && is_terminal(*state_)) return after_;
      // The server has no more transitions than were seen, or it stopped.
      if (ended_ && after_ == before) return after_;
      const Result<bool> ended = has_ended();
      if (!ended) return ended.error();
      ended_ = *ended;
    }
    if (after_ != before) tries = 0;
    if (whole && ended_) continue;
    const Error error = error_after(reply);
    if (!ServerCaller::is_transient(error)) return error;
    const bool waited = caller_.pause(tries, {}, heard_ + caller_.retry_for(), stop);
    if (stop.stop_requested()) return after_;
    if (!waited) return caller_.stopped_error().value_or(error);
  }
}

}  // namespace longshore
