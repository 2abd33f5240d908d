// longshore_dump STORE_URL: prints the final dump of a store, to append to a history that another
// program recorded.
#include <cstdio>
#include <string_view>

#include "checker/history_writer.h"
#include "core/time/clock.h"
#include "runtime/store_url.h"

int main(int count, char** words) {
  using namespace longshore;
  if (count != 2) {
    std::fprintf(stderr, "Usage: %s STORE_URL\n", words[0]);
    return 2;
  }
  SystemClock clock;
  const auto store = open_store(words[1], clock, Rules());
  checker::HistoryWriter writer(
      [](std::string_view line) { std::fwrite(line.data(), 1, line.size(), stdout); });
  const Result<Nothing> dumped =
      store ? checker::dump_store((*store)->catalog(), writer) : Result<Nothing>(store.error());
  if (dumped) return 0;
  std::fprintf(stderr, "%s\n", dumped.error().message.c_str());
  return 1;
}
