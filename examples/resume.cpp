// Imports a thousand rows and resumes from its checkpoint after a crash. Run it, `kill -9` it, run
// it again: no row before the checkpoint is imported twice.
#include <longshore/longshore.h>

#include <chrono>
#include <iostream>
using namespace std::chrono_literals;

struct Import {
  static constexpr std::string_view job_type = "rows.import";
  int rows = 0;
  LONGSHORE_ARGS(rows)
};

struct Position {
  int next = 0;
  LONGSHORE_ARGS(next)
};

// quote: handler
longshore::Ending import_rows(longshore::Context& context, const Import& args) {
  auto saved = context.checkpoint_as<Position>();
  Position at = saved.value().value_or(Position());
  std::cout << "attempt " << context.attempt() << " begins at row " << at.next << std::endl;
  while (at.next < args.rows) {
    if (context.stop_requested()) return longshore::release();
    std::cout << "row " << at.next << std::endl;  // the work
    at.next += 1;
    if (!context.save_checkpoint(at)) return longshore::release();  // the lease was lost
    context.progress(100.0 * at.next / args.rows);
  }
  return longshore::ok(at.next);
}
// end quote

int main(int argc, char** argv) {
  auto store = longshore::open(argc > 1 ? argv[1] : "sqlite:resume.db");
  if (!store) return std::cerr << store.error().message << "\n", 1;
  longshore::Worker worker(*store);
  worker.handle<Import>(import_rows);
  if (auto started = worker.start(); !started) return std::cerr << started.error().message, 1;

  // With this key the second run finds the job of the first.
  const auto job = store->client().enqueue(
      Import{.rows = 1000},
      {.idempotency_key = "import:2026-01", .policy = {.max_retries = 5, .timeout = 10min}});
  if (!job) return std::cerr << job.error().message << "\n", 1;
  const auto rows = store->client().result_as<int>(job->id, 60s);
  if (!rows) return std::cerr << rows.error().message << "\n", 1;
  std::cout << "imported " << *rows << " rows" << std::endl;
}
