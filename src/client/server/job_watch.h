// Follows one job's transitions on a server and reconnects when a connection breaks.
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
  // One response of the server, until it ends.
  Result<HttpReply> follow(const std::stop_token& stop);
  void take(std::string_view id, std::string_view data);
  Result<bool> has_ended();
  Error error_after(const Result<HttpReply>& reply) const;

  ServerCaller& caller_;
  const JobId job_;
  const Client::Seen& seen_;
  EventReader reader_;
  std::stop_source enough_;     // `seen` returned false
  std::int64_t after_;          // the last transition seen
  std::optional<State> state_;  // after the last transition seen
  bool ended_ = false;          // known before this response began
  Instant heard_;               // when data last arrived
};

}  // namespace longshore
