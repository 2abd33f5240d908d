// Lines of a job's history, as core/record/history_text.h writes them.
#pragma once

#include <memory>
#include <string>
#include <utility>

namespace longshore::postgres {

// A text that many jobs may share: most jobs of a batch move alike. Copying one copies no text.
class Lines {
 public:
  Lines() = default;
  explicit Lines(std::string text) {
    if (!text.empty()) text_ = std::make_shared<const std::string>(std::move(text));
  }

  bool empty() const { return text_ == nullptr; }
  const std::string& text() const {
    static const std::string none;
    return empty() ? none : *text_;
  }
  void append(const Lines& more) {
    if (more.empty()) return;
    *this = empty() ? more : Lines(text() + more.text());
  }
  void clear() { text_.reset(); }

  friend bool operator==(const Lines& a, const Lines& b) {
    return a.text_ == b.text_ || a.text() == b.text();
  }

 private:
  std::shared_ptr<const std::string> text_;  // owned by all who share it; null for none
};

}  // namespace longshore::postgres
