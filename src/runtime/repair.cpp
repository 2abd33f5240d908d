#include "runtime/repair.h"

#include <array>

#include "runtime/store_url.h"
#include "store/sqlite/repair/repair.h"

namespace longshore {
namespace {

// A sweep restores jobs that are missing from an index, and reports them.
Result<std::vector<std::string>> sweep(Store& store) {
  std::vector<std::string> done;
  for (bool more = true; more;) {
    Result<Committed> committed = store.commit(std::array{Command(Sweep{.all_namespaces = true})});
    if (!committed) return committed.error();
    const auto* swept = std::get_if<Swept>(&committed->verdicts.front());
    if (swept == nullptr) break;
    done.insert(done.end(), swept->repaired.begin(), swept->repaired.end());
    more = swept->more;
  }
  return done;
}

}  // namespace

Result<std::vector<std::string>> repair_store(std::string_view url, Clock& clock,
                                              const Rules& rules) {
  constexpr std::string_view sqlite = "sqlite:";
  if (url.starts_with(sqlite)) return repair_sqlite(std::string(url.substr(sqlite.size())), clock);
  Result<std::unique_ptr<Backend>> backend = open_store(url, clock, rules);
  if (!backend) return backend.error();
  return sweep((*backend)->store());
}

Result<std::vector<std::string>> repair_clock(std::string_view url, Clock& clock,
                                              const Rules& rules) {
  constexpr std::string_view sqlite = "sqlite:";
  if (!url.starts_with(sqlite)) {
    return Error{Errc::invalid,
                 "--repair-clock needs a SQLite store; a store on PostgreSQL or Redis follows the "
                 "clock of its database"};
  }
  return repair_clock_sqlite(std::string(url.substr(sqlite.size())), clock, rules.key_outlives_job);
}

}  // namespace longshore
