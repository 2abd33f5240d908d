#include "cli/terminal/top_view.h"

#include <algorithm>
#include <array>

namespace longshore {
namespace {

constexpr std::array orders = {TopOrder::name, TopOrder::queued, TopOrder::running,
                               TopOrder::dead, TopOrder::oldest, TopOrder::rate};
constexpr std::size_t lines_around = 4;  // lines of the screen that are not rows of the table

double weight_of(const QueueRow& row, TopOrder order) {
  switch (order) {
    case TopOrder::queued:
      return static_cast<double>(row.queued);
    case TopOrder::running:
      return static_cast<double>(row.running);
    case TopOrder::dead:
      return static_cast<double>(row.dead);
    case TopOrder::oldest:
      return row.oldest_seconds.value_or(-1);
    case TopOrder::rate:
      return row.finished;
    case TopOrder::name:
      break;
  }
  return 0;
}

}  // namespace

std::string_view to_text(TopOrder order) {
  constexpr std::array names = {"name", "queued", "running", "dead", "oldest", "rate"};
  return names[static_cast<std::size_t>(order)];
}

void TopView::update(std::vector<QueueRow> rows, std::string headline) {
  all_ = std::move(rows);
  headline_ = std::move(headline);
  message_.clear();
  arrange();
}

void TopView::arrange() {
  shown_.clear();
  for (const QueueRow& row : all_) {
    if (row.name.find(filter_) != std::string::npos) shown_.push_back(row);
  }
  std::ranges::sort(shown_, [this](const QueueRow& a, const QueueRow& b) {
    const double left = weight_of(a, order_);
    const double right = weight_of(b, order_);
    return left != right ? left > right : a.name < b.name;
  });
  if (selected() == nullptr) selected_ = shown_.empty() ? "" : shown_.front().name;
}

const QueueRow* TopView::selected() const {
  const auto found = std::ranges::find(shown_, selected_, &QueueRow::name);
  return found == shown_.end() ? nullptr : &*found;
}

void TopView::type(const KeyPress& press) {
  if (press.key == Key::enter) typing_ = false;
  if (press.key == Key::escape) {
    typing_ = false;
    filter_.clear();
  }
  if (press.key == Key::backspace && !filter_.empty()) filter_.pop_back();
  if (press.key == Key::letter && press.letter >= ' ') filter_ += press.letter;
  arrange();
}

TopAction TopView::press(const KeyPress& press) {
  if (typing_) return type(press), TopAction::nothing;
  const auto move = [this](std::ptrdiff_t by) {
    if (shown_.empty()) return;
    const auto at = std::ranges::find(shown_, selected_, &QueueRow::name) - shown_.begin();
    selected_ = shown_[static_cast<std::size_t>(
                           std::clamp<std::ptrdiff_t>(at + by, 0, std::ssize(shown_) - 1))]
                    .name;
  };
  if (press.key == Key::up || press.letter == 'k') move(-1);
  if (press.key == Key::down || press.letter == 'j') move(1);
  switch (press.letter) {
    case 'q':
      return TopAction::quit;
    case 'p':
      return TopAction::pause_or_resume;
    case 'r':
      return TopAction::refresh;
    case '/':
      typing_ = true;
      return TopAction::nothing;
    case 's':
      order_ = orders[(static_cast<std::size_t>(order_) + 1) % orders.size()];
      arrange();
      return TopAction::nothing;
    default:
      return TopAction::nothing;
  }
}

std::string TopView::text(const Screen& screen) const {
  std::string text = truncated(headline_, screen.columns) + "\n";
  const std::string sorted = "sorted by " + std::string(to_text(order_)) +
                             (filter_.empty() && !typing_ ? "" : ", filter: " + filter_) +
                             (typing_ ? "_" : "");
  text += truncated(sorted, screen.columns) + "\n";
  const std::size_t room = screen.rows > lines_around ? screen.rows - lines_around : 1;
  std::vector<QueueRow> rows = shown_;
  const auto at =
      static_cast<std::size_t>(std::ranges::find(rows, selected_, &QueueRow::name) - rows.begin());
  // Scrolls so that the selected row is visible.
  const std::size_t first = at >= room && at < rows.size() ? at - room + 1 : 0;
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(first));
  if (rows.size() > room) rows.resize(room);
  text += queue_table(rows, at - first).text(screen.columns, screen.colours);
  const std::string keys =
      message_.empty() ? "s sort  / filter  up down select  p pause or resume  r refresh  q quit"
                       : message_;
  const Colour colour = message_.empty() ? Colour::dim : Colour::red;
  return text + painted(truncated(sanitized(keys), screen.columns), colour, screen.colours);
}

}  // namespace longshore
