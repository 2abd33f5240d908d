#include "unit/core/lifecycle_table.h"

#include <fstream>
#include <sstream>
#include <utility>

namespace longshore {
namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) {
    const std::size_t first = part.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    parts.push_back(part.substr(first, part.find_last_not_of(' ') - first + 1));
  }
  return parts;
}

class Reader {
 public:
  Reader(const TableNames& names) : options_(names.options) {
    for (const std::string& name : names.situations) situations_[name] = {name};
    for (const std::string& name : names.events) events_[name] = {name};
    situations_["all"] = {names.situations.begin(), names.situations.end()};
    events_["all"] = {names.events.begin(), names.events.end()};
  }

  LifecycleTable read(std::istream& in) {
    for (std::string text; std::getline(in, text);) {
      line_ += 1;
      if (text.empty() || text.front() == '#') continue;
      if (text.starts_with("group ")) {
        group(text.substr(6));
      } else if (text.starts_with("only ")) {
        only(text.substr(5));
      } else {
        row(text);
      }
    }
    return std::move(table_);
  }

 private:
  using Groups = std::map<std::string, std::set<std::string>>;

  void fault(const std::string& what) {
    table_.faults.push_back("line " + std::to_string(line_) + ": " + what);
  }

  std::set<std::string> members(const Groups& groups, const std::string& list) {
    std::set<std::string> all;
    for (std::string name : split(list, ',')) {
      const bool without = name.starts_with('-');
      if (without) name.erase(0, 1);
      const auto group = groups.find(name);
      if (group == groups.end()) {
        fault("'" + name + "' is unknown");
        continue;
      }
      for (const std::string& member : group->second) {
        if (without && all.erase(member) == 0) fault(member + " is taken away but was not there");
        if (!without && !all.insert(member).second) fault(member + " is named twice");
      }
    }
    return all;
  }

  Condition condition(const std::string& text) {
    Condition all;
    if (text == "always") return all;
    for (const std::string& option : split(text, ' ')) {
      const std::size_t equals = option.find('=');
      const std::string name = option.substr(0, equals);
      if (equals == std::string::npos || !options_.contains(name)) {
        fault("'" + option + "' is no option");
        continue;
      }
      for (const std::string& value : split(option.substr(equals + 1), ',')) {
        all[name].insert(value);
      }
    }
    return all;
  }

  void group(const std::string& text) {
    const std::vector<std::string> sides = split(text, '=');
    if (sides.size() != 2) return fault("a group is name = members");
    situations_[sides[0]] = members(situations_, sides[1]);
  }

  void only(const std::string& text) {
    const std::size_t when = text.find(" when ");
    if (when == std::string::npos) return fault("it must say when");
    table_.only[text.substr(0, when)] = condition(text.substr(when + 6));
  }

  void row(const std::string& text) {
    const std::vector<std::string> cells = split(text, '|');
    if (cells.size() != 4) return fault("a row has four cells");
    table_.rows.push_back({.line = line_,
                           .situations = members(situations_, cells[0]),
                           .events = members(events_, cells[1]),
                           .when = condition(cells[2]),
                           .answer = parse_answer(cells[3])});
  }

  Options options_;
  Groups situations_;
  Groups events_;
  int line_ = 0;
  LifecycleTable table_;
};

}  // namespace

bool holds(const Condition& condition, const Options& options) {
  for (const auto& [name, values] : condition) {
    if (!values.contains(options.at(name))) return false;
  }
  return true;
}

std::vector<TableRow*> LifecycleTable::find(const std::string& situation, const std::string& event,
                                            const Options& options) {
  std::vector<TableRow*> found;
  for (TableRow& row : rows) {
    if (row.situations.contains(situation) && row.events.contains(event) &&
        holds(row.when, options)) {
      found.push_back(&row);
    }
  }
  return found;
}

LifecycleTable read_lifecycle_table(const std::string& path, const TableNames& names) {
  std::ifstream in(path);
  LifecycleTable table = Reader(names).read(in);
  if (table.rows.empty()) table.faults.push_back(path + " holds no row");
  return table;
}

}  // namespace longshore
