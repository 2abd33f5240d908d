// A client and a worker of a server: enqueue a job, hand it off, and finish it by its key.
//
//   LONGSHORE_SERVER=http://127.0.0.1:7788 LONGSHORE_TOKEN=... build/examples/example_remote
#include <longshore/longshore.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
using namespace std::chrono_literals;

struct Payment {
  static constexpr std::string_view job_type = "payment.capture";
  std::string order;
  int cents = 0;
  LONGSHORE_ARGS(order, cents)
};

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// quote: program
int main() {
  auto server =
      longshore::open(variable("LONGSHORE_SERVER"), {.token = variable("LONGSHORE_TOKEN")});
  if (!server) return std::cerr << server.error().message << "\n", 1;

  // The bank replies later and only knows the order number, so the handler hands the job off.
  longshore::Worker worker(*server);
  worker.handle<Payment>([](const Payment&) { return longshore::hand_off(); });
  if (!worker.start()) return 1;

  const longshore::Client client = server->client();
  const auto job = client.enqueue(Payment{"order-17", 4200}, {.job_key = "order-17"});
  if (!job) return std::cerr << job.error().message << "\n", 1;
  const auto watched = client.watch(job->id, [](const longshore::Transition& move) {
    std::cout << to_text(move.to) << "\n";
    return move.to != longshore::State::waiting;
  });
  if (!watched) return std::cerr << watched.error().message << "\n", 1;

  // Any client with a token can do this, for example the bank's webhook.
  const auto paid = client.complete_by_key<Payment>("order-17", std::string("paid"));
  if (!paid) return std::cerr << paid.error().message << "\n", 1;
  std::cout << "order-17 is " << client.result_as<std::string>(job->id, 10s).value() << "\n";
}
// end quote
