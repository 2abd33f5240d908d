#include "bench/measure.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace longshore::bench {
namespace {

constexpr double mib = 1024.0 * 1024.0;

std::string number(double value, std::string_view unit) {
  return fmt::format("{:.{}f}{}", value, std::abs(value) < 100 ? 2 : 0, unit);
}

}  // namespace

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  const auto wanted = std::ceil(part * static_cast<double>(values.size()));
  const auto at = static_cast<std::ptrdiff_t>(std::max(wanted, 1.0)) - 1;
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

double Pairs::ratio() const {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.size(); ++i) ratios.push_back(ours[i] / reference[i]);
  return median(std::move(ratios));
}

bool Bar::holds(double measured) const {
  if (kind == Kind::at_least) return measured >= value;
  return kind == Kind::none || measured <= value;
}

void Report::say(std::string_view text) {
  fmt::print("# {}\n", text);
  std::fflush(stdout);
}

void Report::line(const std::string& name, const Pairs& pairs, std::string_view unit, Bar bar) {
  print(name, median(pairs.ours), median(pairs.reference), pairs.ratio(), unit, bar);
}

void Report::line(const std::string& name, double ours, double reference, std::string_view unit,
                  Bar bar) {
  print(name, ours, reference, ours / reference, unit, bar);
}

void Report::print(const std::string& name, double ours, double reference, double ratio,
                   std::string_view unit, Bar bar) {
  fmt::print("{:<44} {:>12} {:>12} {:>7.2f}\n", name, number(ours, unit), number(reference, unit),
             ratio);
  std::fflush(stdout);
  if (contended_ && bar.kind != Bar::Kind::none) return not_shown_.push_back(name);
  if (bar.holds(ratio)) return;
  missed_.push_back(fmt::format("{}: {:.2f}, wanted {} {}", name, ratio,
                                bar.kind == Bar::Kind::at_least ? "at least" : "at most",
                                bar.value));
}

int Report::end() {
  for (const std::string& bar : missed_) say("missed: " + bar);
  for (const std::string& name : not_shown_) say("not shown, busy machine: " + name);
  if (!missed_.empty()) return 3;
  return not_shown_.empty() ? 0 : 4;
}

double ThreadWatch::waited() {
  std::ifstream schedule("/proc/thread-self/schedstat");
  double ran = 0;
  double waited = 0;
  schedule >> ran >> waited;
  return waited * 1e-9;
}

double processor_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double machine_seconds() {
  std::ifstream stat("/proc/stat");
  std::string name;
  double user = 0, nice = 0, system = 0, idle = 0, io_wait = 0, interrupts = 0, soft = 0,
         stolen = 0;
  stat >> name >> user >> nice >> system >> idle >> io_wait >> interrupts >> soft >> stolen;
  return (user + nice + system + interrupts + soft + stolen) /
         static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double processor_pressure() {
  std::ifstream pressure("/proc/pressure/cpu");
  std::string some;
  std::string average;
  pressure >> some >> average;
  const std::size_t value = average.find('=');
  return value == std::string::npos ? 0 : std::stod(average.substr(value + 1)) / 100;
}

double resident_mib() {
  std::ifstream statm("/proc/self/statm");
  double pages = 0;
  statm >> pages >> pages;
  return pages * static_cast<double>(::sysconf(_SC_PAGESIZE)) / mib;
}

double file_mib(const std::string& path) {
  std::error_code none;
  const auto bytes = std::filesystem::file_size(path, none);
  return none ? 0 : static_cast<double>(bytes) / mib;
}

}  // namespace longshore::bench
