#include "runtime/store_url.h"

#include <array>
#include <string>
#include <utility>

#include "store/memory/store.h"
#include "store/sqlite/store.h"

namespace longshore {
namespace {

using Opened = Result<std::unique_ptr<Backend>>;

// A memory store and the disk it lives on, which ends with it.
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

 private:
  MemoryDisk disk_;
  std::unique_ptr<Backend> backend_;
};

Opened open_memory_url(std::string_view rest, Clock& clock, const Rules& rules) {
  if (!rest.empty()) {
    return Error{Errc::invalid,
                 "memory: takes nothing after the colon, but got \"" + std::string(rest) + "\""};
  }
  return OwnMemory::open(clock, rules);
}

Opened open_sqlite_url(std::string_view path, Clock& clock, const Rules& rules) {
  if (path.empty()) return Error{Errc::invalid, "sqlite: needs a path, such as sqlite:jobs.db"};
  auto opened = open_sqlite({.path = std::string(path)}, clock, rules);
  if (!opened) return opened.error();
  return std::unique_ptr<Backend>(std::move(*opened));
}

struct Scheme {
  std::string_view prefix;
  std::string_view example;
  Opened (*open)(std::string_view rest, Clock& clock, const Rules& rules);
};

constexpr std::array schemes = {
    Scheme{"sqlite:", "sqlite:PATH", open_sqlite_url},
    Scheme{"memory:", "memory:", open_memory_url},
};

Error unknown(std::string_view url) {
  std::string message = "no store is known for \"" + std::string(url) + "\"; there are:";
  for (const Scheme& scheme : schemes) message += " " + std::string(scheme.example);
  return {Errc::invalid, std::move(message)};
}

}  // namespace

Opened open_store(std::string_view url, Clock& clock, const Rules& rules) {
  for (const Scheme& scheme : schemes) {
    if (url.starts_with(scheme.prefix)) {
      return scheme.open(url.substr(scheme.prefix.size()), clock, rules);
    }
  }
  return unknown(url);
}

}  // namespace longshore
