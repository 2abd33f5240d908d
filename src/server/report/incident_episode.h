// Something that goes wrong again and again, reported briefly: when it begins, at most once in a
// while with how often it happened since, and when it is over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace longshore {

// Times are steady_micros(). Call from one thread at a time.
class Episode {
 public:
  struct Pace {
    std::int64_t repeat = 60'000'000;  // between two reports
    std::int64_t quiet = 30'000'000;   // without another occurrence it is over
  };
  enum class Moment { begins, goes_on, ends };
  struct Report {
    Moment moment = Moment::begins;
    std::int64_t count = 0;    // since the last report; at the end: in all
    std::int64_t seconds = 0;  // since it began; at the end: from the first to the last occurrence
    std::string latest = {};   // what was said of the last one
  };

  explicit Episode(const Pace& pace) : pace_(pace) {}

  // It happened.
  std::optional<Report> add(std::int64_t count, const std::string& what, std::int64_t now);
  // Time has passed. `may_end`: nothing else speaks against its end.
  std::optional<Report> look(std::int64_t now, bool may_end = true);
  // What is still to be said, when nobody will look any more.
  std::optional<Report> last_words(std::int64_t now);

  bool under_way() const { return under_way_; }
  std::int64_t last() const { return last_; }    // when it happened last
  std::int64_t total() const { return total_; }  // ever

 private:
  Report report(Moment moment, std::int64_t count, std::int64_t until);

  const Pace pace_;
  bool under_way_ = false;
  std::int64_t total_ = 0;
  // Of the one under way.
  std::int64_t began_ = 0;
  std::int64_t last_ = 0;
  std::int64_t reported_ = 0;    // when
  std::int64_t unreported_ = 0;  // how many
  std::int64_t count_ = 0;
  std::string latest_;
};

}  // namespace longshore
