#include "api/metrics/metric_text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace longshore {
namespace {

template <class Number>
std::string number_text(Number value) {
  std::array<char, 40> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), written.ptr};
}

void append_label_value(std::string& out, std::string_view value) {
  for (const char c : value) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
}

}  // namespace

void Histogram::observe(double value) {
  const auto at = std::ranges::lower_bound(bounds_, value);
  counts_[static_cast<std::size_t>(at - bounds_.begin())] += 1;
  sum_ += value;
}

void MetricText::family(std::string_view name, std::string_view type, std::string_view help) {
  name_ = name;
  for (const auto& [word, text] : {std::pair("# HELP ", help), std::pair("# TYPE ", type)}) {
    out_ += word;
    out_ += name;
    out_ += ' ';
    out_ += text;
    out_ += '\n';
  }
}

void MetricText::begin_line(std::string_view suffix, const Labels& labels) {
  out_ += name_;
  out_ += suffix;
  if (labels.empty()) return;
  char before = '{';
  for (const auto& [name, value] : labels) {
    out_ += before;
    out_ += name;
    out_ += "=\"";
    append_label_value(out_, value);
    out_ += '"';
    before = ',';
  }
  out_ += '}';
}

template <class Number>
void MetricText::line(std::string_view suffix, const Labels& labels, Number value) {
  begin_line(suffix, labels);
  out_ += ' ';
  out_ += number_text(value);
  out_ += '\n';
}

template void MetricText::line(std::string_view, const Labels&, double);
template void MetricText::line(std::string_view, const Labels&, std::uint64_t);
template void MetricText::line(std::string_view, const Labels&, std::int64_t);

void MetricText::samples(Labels labels, const Histogram& histogram) {
  const Labels plain = labels;
  std::uint64_t so_far = 0;
  labels.emplace_back("le", "");
  for (std::size_t i = 0; i < histogram.counts().size(); ++i) {
    so_far += histogram.counts()[i];
    const std::string bound =
        i < histogram.bounds().size() ? number_text(histogram.bounds()[i]) : "+Inf";
    labels.back().second = bound;
    line("_bucket", labels, so_far);
  }
  line("_sum", plain, histogram.sum());
  line("_count", plain, so_far);
}

}  // namespace longshore
