#include "postgres/storm.h"

#include "postgres/server.h"
#include "store/postgres/store.h"

namespace longshore::postgres_test {
namespace {

auto opener(const std::string& url) {
  return [url] { return open_postgres({.url = url}, Rules()); };
}

}  // namespace

Storm cut_connections(int times, std::uint64_t seed) {
  const OwnServer server;
  PGconn* axe = PQconnectdb(server.url("application_name=axe").c_str());
  Storm endured =
      storm::run_storm({.open = opener(server.url("lanes=4")),
                        .faults = times,
                        .seed = seed,
                        .keep = Duration::seconds(4),
                        .inject_fault = [&] {
                          PQclear(PQexec(axe,
                                         "SELECT pg_terminate_backend(pid) FROM "
                                         "pg_stat_activity WHERE application_name = 'longshore' "
                                         "AND state <> 'idle' ORDER BY random() LIMIT 3"));
                        }});
  PQfinish(axe);
  return endured;
}

Storm restart_server(int times, std::uint64_t seed) {
  OwnServer server;
  return storm::run_storm(
      {.open = opener(server.url("lanes=4")), .faults = times, .seed = seed, .inject_fault = [&] {
         server.restart();
       }});
}

Storm set_back(int times, std::uint64_t seed) {
  OwnServer server;
  return storm::run_storm({.open = opener(server.url("lanes=4")),
                           .faults = times,
                           .seed = seed,
                           .inject_fault = [&] { server.restart(); },
                           .copy = [&] { server.copy(); },
                           .set_back = [&] { server.set_back(); }});
}

}  // namespace longshore::postgres_test
