// Reads lifecycle_table.txt and finds the row that answers a cell.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "unit/core/decision_text.h"

namespace longshore {

// Options of the rules that must have one of these values: {"cancel", {"direct"}}.
using Condition = std::map<std::string, std::set<std::string>>;
using Options = std::map<std::string, std::string>;
bool holds(const Condition& condition, const Options& options);

struct TableRow {
  int line = 0;
  std::set<std::string> situations;
  std::set<std::string> events;
  Condition when;
  Answer answer;
  int used = 0;
};

struct LifecycleTable {
  std::vector<TableRow> rows;
  std::map<std::string, Condition> only;  // situations that exist under some rules only
  std::vector<std::string> faults;        // lines that could not be read, in words

  // Every row that answers this cell; one, if the table is sound.
  std::vector<TableRow*> find(const std::string& situation, const std::string& event,
                              const Options& options);
};

// The names in the table must be among these.
struct TableNames {
  std::vector<std::string> situations;
  std::vector<std::string> events;
  Options options;  // any; only the names count
};
LifecycleTable read_lifecycle_table(const std::string& path, const TableNames& names);

}  // namespace longshore
