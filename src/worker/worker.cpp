#include "longshore/worker.h"

#include <thread>
#include <utility>

#include "worker/signals.h"
#include "worker/worker_pool.h"

namespace longshore {

Worker::Worker(std::shared_ptr<Leases> leases, WorkerOptions options)
    : crew_(std::make_shared<WorkerPool>(std::move(leases), std::move(options))) {}
Worker::Worker(Worker&&) noexcept = default;
Worker::~Worker() { stop(); }

Worker& Worker::handle(std::string type, Handler handler, HandlerOptions options,
                       PlainHandler plain) {
  crew_->add(std::move(type), std::move(handler), options, plain);
  return *this;
}

Result<Nothing> Worker::start() { return crew_->start(); }
StopReport Worker::stop() { return crew_ ? crew_->stop() : StopReport(); }
void Worker::hurry() {
  if (crew_) crew_->hurry();
}
Result<int> Worker::run_pending() { return crew_->run_pending(); }

Result<StopReport> Worker::run_until_signal() {
  EndSignals signals;
  if (Result<Nothing> started = start(); !started) return started.error();
  signals.wait();
  const std::jthread second([this, &signals](const std::stop_token& stop) {
    if (signals.wait(stop)) hurry();
  });
  return stop();
}

}  // namespace longshore
