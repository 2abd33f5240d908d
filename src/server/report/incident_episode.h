// Rate-limits reports of a recurring incident: one when it begins, one per interval with a count,
// and one when it is over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace longshore {

// Times are steady_micros(). Call from one thread at a time.
class Episode {
 public:
  struct Pace {
    std::int64_t repeat = 60'000'000;  // between reports
    std::int64_t quiet = 30'000'000;   // over after this time without an occurrence
  };
  enum class Phase { begins, continues, ends };
  struct Report {
    Phase phase = Phase::begins;
    std::int64_t count = 0;    // since the last report; at the end: in all
    std::int64_t seconds = 0;  // since it began; at the end: from the first to the last occurrence
    std::string latest = {};   // detail of the last occurrence
  };

  explicit Episode(const Pace& pace) : pace_(pace) {}

  // Adds occurrences.
  std::optional<Report> add(std::int64_t count, const std::string& what, std::int64_t now);
  // Checks the time. `may_end`: whether the episode may end now.
  std::optional<Report> look(std::int64_t now, bool may_end = true);
  // The last report, before shutdown.
  std::optional<Report> final_report(std::int64_t now);

  bool under_way() const { return under_way_; }
  std::int64_t last() const { return last_; }    // time of the last occurrence
  std::int64_t total() const { return total_; }  // all occurrences

 private:
  Report report(Phase phase, std::int64_t count, std::int64_t until);

  const Pace pace_;
  bool under_way_ = false;
  std::int64_t total_ = 0;
  // The current episode.
  std::int64_t began_ = 0;
  std::int64_t last_ = 0;
  std::int64_t reported_ = 0;    // time of the last report
  std::int64_t unreported_ = 0;  // occurrences since then
  std::int64_t count_ = 0;
  std::string latest_;
};

}  // namespace longshore
