// Writes metrics in Prometheus' text format (0.0.4).
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

// Names are constants; values may be any text.
using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

inline constexpr std::string_view metrics_content_type = "text/plain; version=0.0.4; charset=utf-8";

// A histogram with fixed buckets.
class Histogram {
 public:
  // `bounds` must ascend and outlive the histogram; greater values are counted in +Inf.
  explicit Histogram(std::span<const double> bounds)
      : bounds_(bounds), counts_(bounds.size() + 1) {}

  void observe(double value);

  std::span<const double> bounds() const { return bounds_; }
  const std::vector<std::uint64_t>& counts() const {
    return counts_;
  }  // of each bucket, not cumulative
  double sum() const { return sum_; }

 private:
  std::span<const double> bounds_;
  std::vector<std::uint64_t> counts_;
  double sum_ = 0;
};

class MetricText {
 public:
  // `type` is counter, gauge or histogram. Must be followed by the family's samples.
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
