// Leasing jobs to a worker.
#include <algorithm>
#include <utility>

#include "api/api.h"
#include "api/auth/token_text.h"
#include "api/leases/lease_request.h"
#include "api/leases/routes.h"
#include "api/wire/body.h"
#include "core/ids/uuid.h"
#include "core/rules/limits.h"
#include "core/text/names.h"
#include "core/text/utf8.h"

namespace longshore {
namespace {

// Less than the limit of an answer: a store counts only a part of its bytes.
constexpr std::int64_t claim_bytes_max = 14 * 1024 * 1024;

std::optional<std::string> own_name_fault(std::string_view name) {
  if (name == "system" || name == "external") {
    return "must not be system or external; these are reserved";
  }
  return worker_id_fault(name);
}

std::optional<std::string> remark_fault(std::string_view text) {
  const std::optional<std::size_t> length = utf8_length(text);
  if (length && *length <= worker_text_characters_max && !text.contains('\0')) return std::nullopt;
  return "must be at most 255 characters";
}

void drop_repeated(std::vector<std::string>& names) {
  std::vector<std::string> once;
  for (std::string& name : names) {
    if (std::ranges::find(once, name) == once.end()) once.push_back(std::move(name));
  }
  names = std::move(once);
}

// The same for each repeat of a worker's requestId, and not guessable, since lease tokens are
// derived from it. Nodes without a configured secret use one stored with their data.
RequestId named_id(Api& api, const Claim& claim, const std::string& name) {
  const std::string& secret = api.options().secret;
  const std::string& key = secret.empty() ? api.node().secret() : secret;
  const std::string hash =
      keyed_hash(key, "claim\n" + claim.ns + '\n' + claim.worker + '\n' + name);
  return parse_hex_id<RequestId>(std::string_view(hash).substr(0, 32)).value_or(RequestId());
}

void read_queues_and_types(Fields& fields, Claim& claim) {
  if (auto queues = fields.texts("queues", 1, claim_queues_max, queue_fault)) {
    claim.queues = std::move(*queues);
    drop_repeated(claim.queues);
  }
  // Reserved job types are allowed.
  claim.types = fields.texts("jobTypes", 1, claim_types_max, any_job_type_fault);
  if (!claim.types) return;
  drop_repeated(*claim.types);
  if (claim.types->size() * claim.queues.size() > claim_pairs_max) {
    fields.invalid("jobTypes", "times queues must be at most 1000");
  }
}

// True if the request has details of the worker.
bool read_worker(Fields& fields, WorkerInfo& info) {
  std::optional<Fields> worker = fields.object("worker");
  if (!worker) return false;
  info.slots = static_cast<int>(worker->integer("slots", 0, worker_slots_max).value_or(0));
  info.host = worker->text("host", remark_fault).value_or("");
  info.version = worker->text("version", remark_fault).value_or("");
  worker->finish();
  return true;
}

}  // namespace

void post_leases(Api& api, CallRef call) {
  Body body(call->request().body);
  Fields& fields = body.fields();
  Claim claim{.id = {}, .ns = call->caller.ns, .bytes_max = claim_bytes_max};
  fields.require("workerId");
  claim.worker = fields.text("workerId", own_name_fault).value_or("");
  read_queues_and_types(fields, claim);
  const int most = api.node().rules()->claim_limit;
  claim.limit = static_cast<int>(fields.integer("maxJobs", 1, most).value_or(1));
  const Duration wait = fields.seconds("waitSeconds", wait_range).value_or(Duration());
  claim.lease = fields.seconds("leaseSeconds", lease_range);
  const std::optional<std::string> name = fields.text("requestId", key_fault);
  WorkerInfo info{.ns = claim.ns,
                  .worker = claim.worker,
                  .queues = claim.queues,
                  .types = claim.types.value_or(std::vector<std::string>())};
  const bool has_details = read_worker(fields, info);
  if (const auto problem = body.problem()) return api.answer(call, *problem);
  if (api.draining()) {
    return api.answer(call, Problem{.code = Code::overloaded,
                                    .detail = "This node is stopping; use another",
                                    .status = 503,
                                    .retry_after = 1});
  }
  claim.id = name ? named_id(api, claim, *name) : api.node().ids().any<RequestId>();
  const auto request = std::make_shared<LeaseRequest>(api, call);
  if (wait > Duration()) {
    auto held =
        api.shares().take(call->caller, {{Limit::polls, 1}, {Limit::queues, claim.queues.size()}});
    if (const auto* problem = std::get_if<Problem>(&held)) return api.answer(call, *problem);
    request->keep(std::get<Shares::HoldRef>(std::move(held)));
  }
  request->report_worker(std::move(info), has_details);
  request->start(std::move(claim), wait, name.has_value());
}

}  // namespace longshore
