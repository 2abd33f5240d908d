// Runs one job and exits with 0 if its result came back. Its store is the first argument.
#include <longshore/longshore.h>
#include <longshore/testing.h>

#include <chrono>
#include <iostream>

struct Double {
  static constexpr std::string_view job_type = "double";
  int number = 0;
  LONGSHORE_ARGS(number)
};

int main(int argc, char** argv) {
  using namespace std::chrono_literals;
  auto opened = longshore::open(argc > 1 ? argv[1] : "memory:");
  if (!opened) return std::cerr << opened.error().message << "\n", 1;
  // Setting only some options must not cause a warning.
  longshore::Worker worker(*opened, {.concurrency = 2, .grace = 5s});
  worker.handle<Double>([](const Double& args) { return longshore::ok(2 * args.number); },
                        {.concurrency = 1});
  if (auto started = worker.start(); !started) return std::cerr << started.error().message, 1;

  longshore::Client client = opened->client();
  const auto job = client.enqueue(Double{.number = 21}, {.idempotency_key = "double:21"});
  if (!job) return std::cerr << job.error().message << "\n", 1;
  const auto result = client.result_as<int>(job->id, 30s);
  if (!result) return std::cerr << result.error().message << "\n", 1;
  std::cout << "21 doubled is " << *result << "\n";
  // A server URL is supported by every way of linking, although no server runs here.
  const auto away = longshore::open("http://127.0.0.1:1", {.retry_for = 0s});
  if (away || away.error().code != longshore::Errc::unavailable) return 1;
  return *result == 42 ? 0 : 1;
}
