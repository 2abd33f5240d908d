// Metrics in Prometheus' text format (0.0.4): families one after the other, each with its samples.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longshore/time.h"

namespace longshore {

// Names are fixed words; values may be any text.
using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

inline constexpr std::string_view metrics_content_type = "text/plain; version=0.0.4; charset=utf-8";

// Counts how often a value fell into which range. The ranges are fixed when it is made.
class Histogram {
 public:
  // `bounds` must rise and outlive the histogram; what is greater than the last one is counted too.
  explicit Histogram(std::span<const double> bounds)
      : bounds_(bounds), counts_(bounds.size() + 1) {}

  void observe(double value);

  std::span<const double> bounds() const { return bounds_; }
  const std::vector<std::uint64_t>& counts() const { return counts_; }  // of each range alone
  double sum() const { return sum_; }

 private:
  std::span<const double> bounds_;
  std::vector<std::uint64_t> counts_;
  double sum_ = 0;
};

class MetricText {
 public:
  // `type` is counter, gauge or histogram. Samples of a family follow at once.
  void family(std::string_view name, std::string_view type, std::string_view help);
  void sample(const Labels& labels, double value) { line("", labels, value); }
  void sample(const Labels& labels, std::uint64_t value) { line("", labels, value); }
  void sample(const Labels& labels, std::int64_t value) { line("", labels, value); }
  void samples(Labels labels, const Histogram& histogram);

  std::string take() { return std::move(out_); }

 private:
  void begin_line(std::string_view suffix, const Labels& labels);
  template <class Number>
  void line(std::string_view suffix, const Labels& labels, Number value);

  std::string out_;
  std::string_view name_;
};

}  // namespace longshore
