// Checks the store: whether it can be opened, and its durability.
#include "cli/client/store_access.h"
#include "cli/doctor/diagnosis.h"
#include "server/store_tokens.h"

namespace longshore {
namespace {

using Level = Diagnosis::Level;

std::string because(const std::string& trouble) { return trouble.empty() ? "" : ": " + trouble; }

Diagnosis durability_of(const StoreCondition& store) {
  switch (store.durability) {
    case Durability::a:
      return {Level::good, "durability", "class A: acknowledged commits survive a power failure"};
    case Durability::b:
      return {Level::warning, "durability",
              "class B: a power failure can lose the last seconds of acknowledged commits" +
                  because(store.trouble),
              "make the store sync every commit (PostgreSQL: synchronous_commit = on, Redis: "
              "appendfsync always), or accept it with --accept-durability B"};
    case Durability::c:
      break;
  }
  return {Level::warning, "durability",
          "class C: all jobs are lost when the process ends" + because(store.trouble),
          "use sqlite: or postgres:// for jobs that matter"};
}

}  // namespace

void examine_store(const Settings& settings, Diagnoses& found) {
  const std::string name = without_password(settings.text("store"));
  Result<std::unique_ptr<OfflineStore>> store = open_offline_store(settings);
  if (store) {
    found.push_back(
        {Level::good, "store",
         name + " can be opened (profile " + (*store)->rules.profile + "); no server uses it"});
    const StoreCondition condition = (*store)->backend->condition();
    found.push_back(durability_of(condition));
    if (condition.durability == Durability::a && !condition.trouble.empty()) {
      found.push_back({Level::warning, "store", condition.trouble, "see docs/redis.md"});
    }
    found.push_back(diagnose_store_clock((*store)->backend->clock().alarm));
    for (const RuleDifference& conflict : (*store)->conflicts) {
      found.push_back({Level::warning, "rules", difference_text(conflict) + "; the store's is used",
                       "raise [rules] revision to apply the configuration, or correct it"});
    }
    return;
  }
  const Error& error = store.error();
  if (is_store_held(error)) {
    found.push_back({Level::good, "store", name + " is in use by a server: " + error.message});
  } else if (error.code == Errc::not_found) {
    found.push_back({Level::good, "store", name + " does not exist yet; serve creates it"});
  } else {
    found.push_back({Level::problem, "store", name + ": " + error.message,
                     "run `longshore check` for details"});
  }
}

}  // namespace longshore
