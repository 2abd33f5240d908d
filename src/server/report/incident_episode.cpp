#include "server/report/incident_episode.h"

namespace longshore {

std::optional<Episode::Report> Episode::add(std::int64_t count, const std::string& what,
                                            std::int64_t now) {
  const bool begins = !under_way_;
  if (begins) {
    under_way_ = true;
    began_ = now;
    count_ = 0;
    unreported_ = 0;
  }
  last_ = now;
  latest_ = what;
  total_ += count;
  count_ += count;
  unreported_ += count;
  if (begins) {
    reported_ = now;
    return report(Phase::begins, unreported_, now);
  }
  if (now - reported_ < pace_.repeat) return std::nullopt;
  reported_ = now;
  return report(Phase::continues, unreported_, now);
}

std::optional<Episode::Report> Episode::look(std::int64_t now, bool may_end) {
  if (!under_way_) return std::nullopt;
  if (may_end && now - last_ >= pace_.quiet) {
    under_way_ = false;
    return report(Phase::ends, count_, last_);
  }
  if (now - reported_ < pace_.repeat) return std::nullopt;
  reported_ = now;
  return report(Phase::continues, unreported_, now);
}

std::optional<Episode::Report> Episode::final_report(std::int64_t now) {
  if (!under_way_ || unreported_ == 0) return std::nullopt;
  return report(Phase::continues, unreported_, now);
}

Episode::Report Episode::report(Phase phase, std::int64_t count, std::int64_t until) {
  unreported_ = 0;
  return {
      .phase = phase, .count = count, .seconds = (until - began_) / 1'000'000, .latest = latest_};
}

}  // namespace longshore
