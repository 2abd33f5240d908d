// The state of `top`, independent of the terminal: shown queues, order, filter and selection.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/client/queue_rows.h"
#include "cli/terminal/raw_terminal.h"

namespace longshore {

enum class TopOrder { name, queued, running, dead, oldest, rate };
std::string_view to_text(TopOrder order);

// An action that the caller of press() performs.
enum class TopAction { nothing, quit, pause_or_resume, refresh };

class TopView {
 public:
  TopView(TopOrder order, std::string filter) : order_(order), filter_(std::move(filter)) {}

  void update(std::vector<QueueRow> rows, std::string headline);
  void show_error(std::string message) { message_ = std::move(message); }
  TopAction press(const KeyPress& press);

  // The selected queue; null if no queue is shown.
  const QueueRow* selected() const;

  // The content of the screen.
  std::string text(const Screen& screen) const;

 private:
  void arrange();
  void type(const KeyPress& press);

  TopOrder order_;
  std::string filter_;
  bool typing_ = false;  // the user is typing the filter
  std::vector<QueueRow> all_;
  std::vector<QueueRow> shown_;
  std::string selected_;  // a name, since rows move
  std::string headline_;
  std::string message_;
};

}  // namespace longshore
