// The job types of a claim. Many claims have the same ones, so equal sets are shared.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace longshore {

class TypeSet {
 public:
  // None: any type.
  explicit TypeSet(const std::optional<std::vector<std::string>>& types);

  bool any() const { return any_; }
  bool takes(std::string_view type) const;
  bool meets(const TypeSet& other) const;                           // some type is in both
  const std::vector<std::string>& names() const { return names_; }  // sorted; empty if any()
  std::size_t hash() const { return hash_; }

  friend bool operator==(const TypeSet&, const TypeSet&) = default;

 private:
  bool any_ = false;
  std::vector<std::string> names_;
  std::size_t hash_ = 0;
};
using TypeSetRef = std::shared_ptr<const TypeSet>;  // shared by the claims that take these types

// Returns one shared object for equal sets, as long as it is in use. Not safe to share between
// threads.
class TypeSets {
 public:
  TypeSetRef shared(const TypeSetRef& set);

 private:
  static constexpr std::size_t cleaned_at_least = 64;

  std::unordered_multimap<std::size_t, std::weak_ptr<const TypeSet>> known_;  // by hash
  std::size_t clean_at_ = cleaned_at_least;
};

}  // namespace longshore
