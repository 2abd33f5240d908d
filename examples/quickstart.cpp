// Enqueue a job, run it, and wait for it to end. The job is durable before enqueue returns.
#include <longshore/longshore.h>

#include <chrono>
#include <iostream>
using namespace std::chrono_literals;

struct SendEmail {
  static constexpr std::string_view job_type = "email.send";
  std::string to, subject;
  LONGSHORE_ARGS(to, subject)
};

int main() {
  auto store = longshore::open("sqlite:quickstart.db");
  if (!store) return std::cerr << store.error().message << "\n", 1;

  longshore::Worker worker(*store, {.concurrency = 8});
  worker.handle<SendEmail>(
      [](const SendEmail& mail) { std::cout << "To " << mail.to << ": " << mail.subject << "\n"; });
  if (!worker.start()) return 1;

  const auto job = store->client().enqueue(SendEmail{"ada@example.org", "Welcome"});
  const auto ended = store->client().wait(job.value().id, 10s);
  std::cout << "The job is " << to_text(ended.value().job.state) << "\n";
}
