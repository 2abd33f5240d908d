#include <algorithm>

#include "checker/facts.h"
#include "core/ids/lease_token.h"

namespace longshore::checker {
namespace {

constexpr std::size_t lines_kept = 20;

std::string answered(const Operation& op) {
  std::string text(to_text(op.kind));
  if (op.answer == nullptr) return text + " (no answer)";
  if (!op.answer->code.empty()) text += " " + op.answer->code;
  if (op.answer->status) text += " " + std::string(to_text(*op.answer->status));
  if (op.answer->asked) text += " (owner asked)";
  if (op.answer->at) text += " at " + std::to_string(op.answer->at->count());
  if (op.answer->view) {
    text += " " + std::string(to_text(op.answer->view->state)) + " v" +
            std::to_string(op.answer->view->version);
  }
  return text;
}

}  // namespace

std::string describe(const Operation& op) {
  const Call& call = *op.call;
  std::string text = "#" + std::to_string(op.invoked) + " " + std::string(op.process) + " " +
                     std::string(to_text(call.verb));
  if (call.token.epoch != 0) text += " epoch " + std::to_string(call.token.epoch);
  if (!call.code.empty()) text += " " + call.code;
  if (call.force) text += " force";
  text += " -> ";
  if (op.returned != seq_never) text += "#" + std::to_string(op.returned) + " ";
  return text + answered(op);
}

std::string describe(const Transition& row) {
  std::string text = "row " + std::to_string(row.seq) + " at " + std::to_string(row.at.count()) +
                     ": " + (row.from ? std::string(to_text(*row.from)) : "-") + " -> " +
                     std::string(to_text(row.to)) + " by " + std::string(to_text(row.cause));
  if (row.epoch != 0) text += ", epoch " + std::to_string(row.epoch);
  if (!row.worker.empty()) text += ", " + row.worker;
  if (!row.detail.empty()) text += ", " + row.detail;
  return text;
}

std::vector<std::string> Facts::events_of(const JobFacts& job) const {
  std::vector<std::string> rows;
  if (job.dump != nullptr) {
    for (const Transition& row : job.dump->history) rows.push_back(describe(row));
  }
  std::vector<std::string> lines;
  for (const Operation* op : job.ops) lines.push_back(describe(*op));
  // Keeps the newest event of each kind.
  const auto newest = [](std::vector<std::string>& all) {
    if (all.size() > lines_kept / 2) {
      all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(lines_kept / 2));
    }
  };
  newest(lines);
  newest(rows);
  lines.insert(lines.end(), rows.begin(), rows.end());
  return lines;
}

}  // namespace longshore::checker
