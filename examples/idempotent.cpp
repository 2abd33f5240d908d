// A request that is repeated, for example because its response was lost, creates one job.
#include <longshore/longshore.h>

#include <iostream>

struct Charge {
  static constexpr std::string_view job_type = "card.charge";
  std::string order;
  long cents = 0;
  LONGSHORE_ARGS(order, cents)
};

int main() {
  auto store = longshore::open("memory:");
  if (!store) return std::cerr << store.error().message << "\n", 1;
  longshore::Client client = store->client();

  // quote: enqueue
  const Charge charge{.order = "A-1001", .cents = 4200};
  const auto first = client.enqueue(charge, {.idempotency_key = "charge:A-1001"});
  const auto again = client.enqueue(charge, {.idempotency_key = "charge:A-1001"});
  // end quote
  if (!first || !again) return std::cerr << "could not enqueue\n", 1;

  std::cout << "first: " << to_text(first->id) << "\n";
  std::cout << "again: " << to_text(again->id) << (again->fresh ? " (new)" : " (the same)") << "\n";
  return first->id == again->id && !again->fresh ? 0 : 1;
}
