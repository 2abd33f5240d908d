// A handler that crashes ends its attempt, not the worker.
#include <longshore/longshore.h>

#include <chrono>
#include <csignal>
#include <iostream>
using namespace std::chrono_literals;

// quote: isolated
struct Resize {
  static constexpr std::string_view job_type = "image.resize";
  std::string file;
  LONGSHORE_ARGS(file)
};

std::string resize(const Resize& image) {
  if (image.file == "broken.png") std::raise(SIGSEGV);  // such as a bug in a library
  return "small-" + image.file;
}

int main(int argc, char** argv) {
  longshore::isolate(argc, argv);  // before anything else
  auto store = longshore::open("memory:");
  longshore::Worker worker(*store);
  worker.handle<Resize>([](const Resize& image) { return longshore::ok(resize(image)); },
                        {.isolated = true, .memory_bytes = 500'000'000});
  // end quote
  if (const auto started = worker.start(); !started) {
    return std::cerr << started.error().message << "\n", 1;
  }
  auto client = store->client();
  const auto bad = client.enqueue(Resize{"broken.png"}, {.policy = {.max_retries = 0}});
  const auto good = client.enqueue(Resize{"cat.png"});
  std::cout << client.wait(bad.value().id, 60s).value().error->message << "\n"
            << client.result(good.value().id, 60s).value() << "\n";
}
