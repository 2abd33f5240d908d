#include "cli/bench/bench_target.h"
#include "cli/client/json_row.h"
#include "cli/client/server_calls.h"
#include "longshore/json.h"

namespace longshore {
namespace {

constexpr Duration call_timeout = Duration::minutes(1);

class Server final : public BenchTarget {
 public:
  Server(std::shared_ptr<HttpClient> client, const BenchJobs& jobs) : client_(std::move(client)) {
    JsonWriter json;
    json.begin_object();
    json.name("jobType");
    json.string(bench_job_type);
    json.name("queue");
    json.string(jobs.queue);
    json.name("payload");
    json.raw(jobs.payload);
    json.end_object();
    job_ = json.take();
    queue_ = jobs.queue;
  }

  Result<Nothing> enqueue(int jobs) override {
    HttpCall call{.method = "POST", .path = "/jobs", .body = job_, .timeout = call_timeout};
    if (jobs > 1) {
      call.path = "/jobs/batch";
      call.body = "{\"jobs\":[" + job_;
      for (int i = 1; i < jobs; ++i) call.body += "," + job_;
      call.body += "]}";
    }
    const Result<HttpReply> reply = call_api(*client_, call);
    if (!reply) return reply.error();
    return Nothing();
  }

  Result<int> drain(int jobs) override {
    const Result<HttpReply> leased =
        call_api(*client_, {.method = "POST",
                            .path = "/leases",
                            .body = R"({"workerId":"bench","queues":[")" + queue_ +
                                    R"("],"maxJobs":)" + std::to_string(jobs) + "}",
                            .timeout = call_timeout});
    if (!leased) return leased.error();
    const JsonRow answer(leased->body);
    std::string outcomes;
    int count = 0;
    for (const std::string_view lease : answer.list("leases")) {
      const JsonRow row(lease);
      outcomes += (count++ == 0 ? "" : ",") + std::string("{\"jobId\":") +
                  std::string(row.raw("jobId")) +
                  ",\"leaseToken\":" + std::string(row.raw("leaseToken")) + ",\"result\":null}";
    }
    if (count == 0) return 0;
    const Result<HttpReply> settled =
        call_api(*client_, {.method = "POST",
                            .path = "/leases/settle",
                            .body = "{\"outcomes\":[" + outcomes + "]}",
                            .timeout = call_timeout});
    if (!settled) return settled.error();
    return count;
  }

 private:
  std::shared_ptr<HttpClient> client_;
  std::string job_;
  std::string queue_;
};

}  // namespace

Result<std::unique_ptr<BenchTarget>> bench_server(const Settings& settings, BenchJobs jobs) {
  Result<std::shared_ptr<HttpClient>> client = connect(settings);
  if (!client) return client.error();
  if (Result<HttpReply> ready = call_api(**client, {.path = "/readyz"}); !ready)
    return ready.error();
  return std::unique_ptr<BenchTarget>(std::make_unique<Server>(std::move(*client), jobs));
}

}  // namespace longshore
