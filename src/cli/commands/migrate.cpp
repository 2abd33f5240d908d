#include <iostream>
#include <string_view>

#include "cli/command.h"
#include "core/time/clock.h"
#include "longshore/json.h"
#include "runtime/store_url.h"

namespace longshore {
namespace {

void print_json(const std::string& sql, bool planned) {
  JsonWriter json;
  json.begin_object();
  json.name("upToDate");
  json.boolean(sql.empty() || !planned);
  json.name("sql");
  json.string(sql);
  json.end_object();
  std::cout << json.take() << "\n";
}

}  // namespace

ExitCode run_migrate(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  const bool plan = invocation.has("--plan");
  SystemClock clock;
  const Result<std::string> sql =
      migrate_store(settings.text("store"), clock, plan ? Migrating::plan : Migrating::run);
  if (!sql) {
    const bool misnamed = sql.error().code == Errc::invalid;
    return misnamed ? usage_error(sql.error().message) : print_error(sql.error());
  }
  if (settings.boolean("json")) {
    print_json(*sql, plan);
  } else if (plan && !sql->empty()) {
    std::cout << *sql;
  } else {
    std::cerr << (sql->empty() ? "The schema is up to date." : "The schema was migrated.")
              << std::endl;
  }
  return ExitCode::done;
}

}  // namespace longshore
