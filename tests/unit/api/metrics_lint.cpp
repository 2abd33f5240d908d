#include "unit/api/metrics_lint.h"

#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <regex>
#include <set>

namespace longshore {
namespace {

struct Sample {
  std::string name;
  std::string labels;  // without le
  std::optional<double> bound;
  double value = 0;
};

std::optional<double> number(const std::string& text) {
  if (text == "+Inf") return INFINITY;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

class Lint {
 public:
  void read(std::string_view text) {
    if (!text.empty() && !text.ends_with('\n')) complain("the last line does not end");
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      line(std::string(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    finish_histogram();
  }
  std::string faults() const { return faults_; }

 private:
  void complain(const std::string& what) { faults_ += what + "\n"; }

  void line(const std::string& text) {
    static const std::regex comment("# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)");
    std::smatch match;
    if (text.starts_with('#')) {
      if (!std::regex_match(text, match, comment)) return complain("no comment: " + text);
      if (match[1] == "HELP") return help(match[2]);
      return type(match[2], match[3]);
    }
    sample(text);
  }

  void help(const std::string& name) {
    finish_histogram();
    if (!name.starts_with("longshore_")) complain(name + " is not ours");
    if (!helped_.insert(name).second) complain(name + " is repeated");
    family_ = name;
    type_.clear();
  }

  void type(const std::string& name, const std::string& type) {
    if (name != family_) complain(name + " has no help");
    static const std::set<std::string> known = {"counter", "gauge", "histogram"};
    if (!known.contains(type)) complain(name + " is of no type: " + type);
    const bool total = name.ends_with("_total");
    if (total != (type == "counter")) complain(name + ": counters, and no others, end in _total");
    for (const char* suffix : {"_count", "_sum", "_bucket", "_milliseconds", "_ms", "_millis"}) {
      if (name.ends_with(suffix)) complain(name + " must not end in " + suffix);
    }
    type_ = type;
  }

  void sample(const std::string& text) {
    static const std::regex shape(
        R"(([a-zA-Z_:][a-zA-Z0-9_:]*))"
        R"((\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+))");
    std::smatch match;
    if (!std::regex_match(text, match, shape)) return complain("no sample: " + text);
    const std::optional<double> value = number(match[4]);
    if (!value) return complain("no number: " + text);
    if (!seen_.insert(match[1].str() + match[2].str()).second) complain("twice: " + text);
    Sample one{.name = match[1], .labels = match[3], .bound = {}, .value = *value};
    static const std::regex bound(R"(,?le="([^"]*)\")");
    std::smatch le;
    if (std::regex_search(one.labels, le, bound)) {
      one.bound = number(le[1]);
      one.labels = std::regex_replace(one.labels, bound, "");
    }
    if (type_ == "histogram") return histogram(one);
    if (type_.empty() || one.name != family_) complain("outside its family: " + text);
  }

  void histogram(const Sample& one) {
    if (one.name == family_ + "_bucket") {
      auto& buckets = buckets_[one.labels];
      if (!one.bound) return complain("a bucket without le");
      if (!buckets.empty() &&
          (buckets.rbegin()->first >= *one.bound || buckets.rbegin()->second > one.value)) {
        complain(family_ + ": buckets do not rise");
      }
      buckets[*one.bound] = one.value;
    } else if (one.name == family_ + "_count") {
      counts_[one.labels] = one.value;
    } else if (one.name != family_ + "_sum") {
      complain("outside its family: " + one.name);
    }
  }

  void finish_histogram() {
    for (const auto& [labels, buckets] : buckets_) {
      const bool infinite = std::isinf(buckets.rbegin()->first);
      if (!infinite || counts_[labels] != buckets.rbegin()->second) {
        complain(family_ + ": the last bucket is not all");
      }
    }
    buckets_.clear();
    counts_.clear();
  }

  std::string faults_, family_, type_;
  std::set<std::string> helped_, seen_;
  std::map<std::string, std::map<double, double>> buckets_;
  std::map<std::string, double> counts_;
};

}  // namespace

std::string metrics_faults(std::string_view text) {
  Lint lint;
  lint.read(text);
  return lint.faults();
}

}  // namespace longshore
