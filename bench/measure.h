// Measurements and their report: one line each, `name ours reference ratio`.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace longshore::bench {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  }

 private:
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

// The duration of something, and how long the calling thread was runnable without a processor. A
// thread that syncs often waits behind other programs after each sync; many threads hardly do. On a
// busy machine, wall time alone is not comparable.
struct Took {
  double wall = 0;
  double waited = 0;

  double undisturbed() const { return wall - waited; }
};

// Of the calling thread. REQUIRES: all the work is done by that thread.
class ThreadWatch {
 public:
  Took took() const { return {watch_.seconds(), waited() - waited_}; }

 private:
  static double waited();

  Stopwatch watch_;
  double waited_ = waited();
};

// Seconds of processor time that this process has used.
double processor_seconds();
// Of all programs on the machine, and of the machine itself.
double machine_seconds();
// The fraction of the last ten seconds in which some thread waited for a processor.
double processor_pressure();
// Above this pressure before a benchmark starts, a few per cent cannot be told from noise.
inline constexpr double busy_share = 0.3;

double median(std::vector<double> values);
// The quantile; 0.99 for p99.
double quantile(std::vector<double> values, double part);

// Two things measured in turns, so that other load affects both.
struct Pairs {
  std::vector<double> ours;
  std::vector<double> reference;

  void add(double our, double other) {
    ours.push_back(our);
    reference.push_back(other);
  }
  // The median of the ratios of each turn.
  double ratio() const;
};

// The required bound of a ratio or a single number.
struct Bar {
  enum class Kind { none, at_least, at_most };
  Kind kind = Kind::none;
  double value = 0;

  bool holds(double measured) const;
};
inline Bar at_least(double value) { return {Bar::Kind::at_least, value}; }
inline Bar at_most(double value) { return {Bar::Kind::at_most, value}; }

// Prints each line and remembers which bars were missed.
class Report {
 public:
  void say(std::string_view text);  // how something was measured
  // Medians of both, and their ratio.
  void line(const std::string& name, const Pairs& pairs, std::string_view unit, Bar bar = {});
  // Bars of later lines count as neither reached nor missed: the machine was too busy.
  void contended(bool busy) { contended_ = busy; }
  // A number and its bound.
  void line(const std::string& name, double ours, double reference, std::string_view unit,
            Bar bar = {});

  const std::vector<std::string>& missed() const { return missed_; }
  const std::vector<std::string>& not_shown() const { return not_shown_; }
  // Prints missed and undecided bars; returns the exit code: 3, 4, or 0 for neither.
  int end();

 private:
  void print(const std::string& name, double ours, double reference, double ratio,
             std::string_view unit, Bar bar);

  bool contended_ = false;
  std::vector<std::string> missed_;
  std::vector<std::string> not_shown_;
};

// Of this process, in MiB.
double resident_mib();
double file_mib(const std::string& path);

}  // namespace longshore::bench
