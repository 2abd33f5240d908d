// Follows one job's transitions on a server, across connections that break.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>

#include "client/http/event_reader.h"
#include "client/server/server_caller.h"
#include "longshore/client.h"

namespace longshore {

// Used once.
class JobWatch {
 public:
  // All must outlive it.
  JobWatch(ServerCaller& caller, const JobId& job, const Client::Seen& seen, std::int64_t after);

  // See Client::watch.
  Result<std::int64_t> run(const std::stop_token& stop);

 private:
  // One answer of the server, as far as it lasts.
  Result<HttpReply> follow(const std::stop_token& stop);
  void take(std::string_view id, std::string_view data);
  Result<bool> has_ended();
  Error error_after(const Result<HttpReply>& reply) const;

  ServerCaller& caller_;
  const JobId job_;
  const Client::Seen& seen_;
  EventReader reader_;
  std::stop_source enough_;     // `seen` wants no more
  std::int64_t after_;          // the last one seen
  std::optional<State> state_;  // as the last one seen left it
  bool ended_ = false;          // known before this answer began
  Instant heard_;               // of the server, last
};

}  // namespace longshore
