// Counts the tests of this folder per command and store. Every store must run the same tests, so
// all columns are equal.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <string>

#include "conformance/harness.h"
#include "conformance/report.h"

namespace longshore::conformance {
namespace {

using Table = std::map<std::string, std::map<std::string, int>>;  // verb, store, tests

bool is_store(const std::string& name) {
  for (const StoreKind& kind : stores()) {
    if (kind.name == name) return true;
  }
  return false;
}

// Tests are named Suite.Sentence/store.
Table count_tests() {
  Table table;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const std::string name = suite.GetTestInfo(j)->name();
      const auto slash = name.rfind('/');
      if (slash == std::string::npos || !is_store(name.substr(slash + 1))) continue;
      table[suite.name()][name.substr(slash + 1)] += 1;
    }
  }
  return table;
}

std::string cell(const std::string& text, int width) {
  std::string out = text;
  out.resize(static_cast<std::size_t>(width), ' ');
  return out;
}

std::string as_text(const Table& table) {
  std::string text = cell("conformance: tests per verb", 30);
  for (const StoreKind& kind : stores()) text += cell(kind.name, 10);
  text += '\n';
  std::map<std::string, int> sums;
  for (const auto& [verb, by_store] : table) {
    text += cell(verb, 30);
    for (const StoreKind& kind : stores()) {
      const auto found = by_store.find(kind.name);
      const int count = found == by_store.end() ? 0 : found->second;
      sums[kind.name] += count;
      text += cell(std::to_string(count), 10);
    }
    text += '\n';
  }
  text += cell("all", 30);
  for (const StoreKind& kind : stores()) text += cell(std::to_string(sums[kind.name]), 10);
  return text + '\n';
}

TEST(Columns, AreEqualForEveryStore) {
  const Table table = count_tests();
  EXPECT_GE(table.size(), 30u) << "verbs are missing from this program";
  for (const auto& [verb, by_store] : table) {
    EXPECT_EQ(by_store.size(), stores().size()) << verb << " is not asked of every store";
    for (const auto& [store, count] : by_store) {
      EXPECT_EQ(count, by_store.begin()->second) << verb << " differs for " << store;
    }
  }
  report("conformance", as_text(table));
}

}  // namespace
}  // namespace longshore::conformance
