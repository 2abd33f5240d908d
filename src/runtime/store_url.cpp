#include "runtime/store_url.h"

#include <array>
#include <string>
#include <utility>

#include "store/memory/store.h"
#include "store/sqlite/store.h"
#ifdef LONGSHORE_POSTGRES
#include "store/postgres/store.h"
#endif
#ifdef LONGSHORE_REDIS
#include "store/redis/store.h"
#endif

namespace longshore {
namespace {

using Opened = Result<std::unique_ptr<Backend>>;
using Accepted = std::optional<Durability>;

// A memory store that owns its disk.
class OwnMemory final : public Backend {
 public:
  static Opened open(Clock& clock, const Rules& rules) {
    auto own = std::make_unique<OwnMemory>();
    Opened opened = open_memory(own->disk_, clock, rules);
    if (!opened) return opened.error();
    own->backend_ = std::move(*opened);
    return std::unique_ptr<Backend>(std::move(own));
  }

  Store& store() override { return backend_->store(); }
  Catalog& catalog() override { return backend_->catalog(); }
  Wakeups& wakeups() override { return backend_->wakeups(); }
  std::shared_ptr<const StoredRules> rules() const override { return backend_->rules(); }
  ClockReport clock() const override { return backend_->clock(); }
  void listen_for_clock_steps(std::function<void(const std::string&)> listener) override {
    backend_->listen_for_clock_steps(std::move(listener));
  }

 private:
  MemoryDisk disk_;
  std::unique_ptr<Backend> backend_;
};

// `rest` is what follows the scheme's prefix.
Opened open_memory_url(std::string_view rest, Clock& clock, const Rules& rules, Accepted) {
  if (!rest.empty()) {
    return Error{Errc::invalid,
                 "memory: must have nothing after the colon, got \"" + std::string(rest) + "\""};
  }
  return OwnMemory::open(clock, rules);
}

Opened open_sqlite_url(std::string_view path, Clock& clock, const Rules& rules, Accepted) {
  if (path.empty()) return Error{Errc::invalid, "sqlite: needs a path, such as sqlite:jobs.db"};
  auto opened = open_sqlite({.path = std::string(path)}, clock, rules);
  if (!opened) return opened.error();
  return std::unique_ptr<Backend>(std::move(*opened));
}

Result<std::string> migrate_sqlite_url(std::string_view path, Clock& clock, Migrating how) {
  if (path.empty()) return Error{Errc::invalid, "sqlite: needs a path, such as sqlite:jobs.db"};
  if (how == Migrating::plan) return plan_sqlite(std::string(path));
  return migrate_sqlite(std::string(path), clock.now());
}

// The time is the database's own.
#ifdef LONGSHORE_POSTGRES
Opened open_postgres_url(std::string_view rest, Clock&, const Rules& rules, Accepted accepted) {
  return open_postgres({.url = "postgres://" + std::string(rest), .accepted = accepted}, rules);
}

Result<std::string> migrate_postgres_url(std::string_view rest, Clock&, Migrating how) {
  const std::string url = "postgres://" + std::string(rest);
  return how == Migrating::plan ? plan_postgres(url) : migrate_postgres(url);
}
#endif

#ifdef LONGSHORE_REDIS
template <const std::string_view& scheme>
Opened open_redis_url(std::string_view rest, Clock&, const Rules& rules, Accepted accepted) {
  return open_redis({.url = std::string(scheme) + std::string(rest), .accepted = accepted}, rules);
}
constexpr std::string_view redis_scheme = "redis://";
constexpr std::string_view redis_tls_scheme = "rediss://";
constexpr std::string_view redis_cluster_scheme = "redis+cluster://";
constexpr std::string_view redis_cluster_tls_scheme = "rediss+cluster://";
#endif

struct Scheme {
  std::string_view prefix;
  std::string_view example;
  Opened (*open)(std::string_view rest, Clock& clock, const Rules& rules, Accepted accepted);
  // Null: the store has no tables.
  Result<std::string> (*migrate)(std::string_view rest, Clock& clock, Migrating how) = nullptr;
};

constexpr std::array schemes = {
    Scheme{"sqlite:", "sqlite:PATH", open_sqlite_url, migrate_sqlite_url},
    Scheme{"memory:", "memory:", open_memory_url},
#ifdef LONGSHORE_POSTGRES
    Scheme{"postgres://", "postgres://USER@HOST/DATABASE", open_postgres_url, migrate_postgres_url},
    Scheme{"postgresql://", "postgresql://USER@HOST/DATABASE", open_postgres_url,
           migrate_postgres_url},
#endif
#ifdef LONGSHORE_REDIS
    Scheme{redis_scheme, "redis://HOST", open_redis_url<redis_scheme>},
    Scheme{redis_tls_scheme, "rediss://HOST", open_redis_url<redis_tls_scheme>},
    Scheme{redis_cluster_scheme, "redis+cluster://HOST,HOST", open_redis_url<redis_cluster_scheme>},
    Scheme{redis_cluster_tls_scheme, "rediss+cluster://HOST,HOST",
           open_redis_url<redis_cluster_tls_scheme>},
#endif
};

Error unknown(std::string_view url) {
  // Do not print the rest, which may contain a password.
  const std::string_view shown = url.substr(0, url.find("://"));
  std::string message = "unknown store \"" + std::string(shown) + "\"; use one of:";
  for (const Scheme& scheme : schemes) message += " " + std::string(scheme.example);
  return {Errc::invalid, std::move(message)};
}

}  // namespace

Opened open_store(std::string_view url, Clock& clock, const Rules& rules, Accepted accepted) {
  for (const Scheme& scheme : schemes) {
    if (url.starts_with(scheme.prefix)) {
      return scheme.open(url.substr(scheme.prefix.size()), clock, rules, accepted);
    }
  }
  return unknown(url);
}

Result<std::string> migrate_store(std::string_view url, Clock& clock, Migrating how) {
  for (const Scheme& scheme : schemes) {
    if (!url.starts_with(scheme.prefix)) continue;
    if (scheme.migrate == nullptr) return std::string();
    return scheme.migrate(url.substr(scheme.prefix.size()), clock, how);
  }
  return unknown(url);
}

}  // namespace longshore
