// What `top` shows, apart from the terminal: which queues, in which order, which is chosen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/client/queue_rows.h"
#include "cli/terminal/raw_terminal.h"

namespace longshore {

enum class TopOrder { name, queued, running, dead, oldest, rate };
std::string_view to_text(TopOrder order);

// What a key asks for that the view cannot do itself.
enum class TopWish { nothing, quit, pause_or_resume, refresh };

class TopView {
 public:
  TopView(TopOrder order, std::string filter) : order_(order), filter_(std::move(filter)) {}

  void update(std::vector<QueueRow> rows, std::string headline);
  void complain(std::string message) { message_ = std::move(message); }
  TopWish press(const KeyPress& press);

  // The queue that the mark stands on; null if none is shown.
  const QueueRow* chosen() const;

  // As many lines as there is room for.
  std::string text(const Screen& screen) const;

 private:
  void arrange();
  void type(const KeyPress& press);

  TopOrder order_;
  std::string filter_;
  bool typing_ = false;  // the filter is being written
  std::vector<QueueRow> all_;
  std::vector<QueueRow> shown_;
  std::string chosen_;  // by name: rows move
  std::string headline_;
  std::string message_;
};

}  // namespace longshore
