#include "engine/type_set.h"

#include <algorithm>
#include <functional>

namespace longshore {

TypeSet::TypeSet(const std::optional<std::vector<std::string>>& types) : any_(!types) {
  if (types) names_ = *types;
  std::ranges::sort(names_);
  const auto repeated = std::ranges::unique(names_);
  names_.erase(repeated.begin(), repeated.end());
  hash_ = any_ ? 1 : 0;
  for (const std::string& name : names_) hash_ = hash_ * 31 + std::hash<std::string>()(name);
}

bool TypeSet::takes(std::string_view type) const {
  return any_ || std::binary_search(names_.begin(), names_.end(), type, std::less<>());
}

bool TypeSet::meets(const TypeSet& other) const {
  if (any_ || other.any_) return true;
  const TypeSet& fewer = names_.size() < other.names_.size() ? *this : other;
  const TypeSet& more = &fewer == this ? other : *this;
  return std::ranges::any_of(fewer.names_,
                             [&](const std::string& name) { return more.takes(name); });
}

TypeSetRef TypeSets::shared(const TypeSetRef& set) {
  const auto [begin, end] = known_.equal_range(set->hash());
  for (auto at = begin; at != end; ++at) {
    TypeSetRef known = at->second.lock();
    if (known && *known == *set) return known;
  }
  if (known_.size() >= clean_at_) {
    std::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
    clean_at_ = std::max(2 * known_.size(), cleaned_at_least);
  }
  known_.emplace(set->hash(), set);
  return set;
}

}  // namespace longshore
