// Numbers and how they are told: one line each, `name ours reference ratio`.
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

// How long something took, and how much of that the calling thread was ready to run while others
// had the processors. One thread that syncs often waits behind every other program after each
// sync; a crowd of threads hardly does. On a busy machine the clock alone compares nothing.
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
// Of every program on the machine, and of the machine itself.
double machine_seconds();
// Of the last ten seconds, the part in which somebody waited for a processor.
double processor_pressure();
// From this pressure on, before a benchmark has begun, a few per cent cannot be told from noise.
inline constexpr double busy_share = 0.3;

double median(std::vector<double> values);
// The smallest value that at least this part of all does not exceed; 0.99 for p99.
double quantile(std::vector<double> values, double part);

// Two things measured in turn, so that what else the machine does meets both.
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

// What a ratio, or a number that stands alone, should be.
struct Bar {
  enum class Kind { none, at_least, at_most };
  Kind kind = Kind::none;
  double value = 0;

  bool holds(double measured) const;
};
inline Bar at_least(double value) { return {Bar::Kind::at_least, value}; }
inline Bar at_most(double value) { return {Bar::Kind::at_most, value}; }

// Prints as it goes, and remembers which bars were missed.
class Report {
 public:
  void say(std::string_view text);  // how something was measured
  // Medians of both, and their ratio.
  void line(const std::string& name, const Pairs& pairs, std::string_view unit, Bar bar = {});
  // Bars of lines printed from now on are neither reached nor missed: the machine was too busy.
  void contended(bool busy) { contended_ = busy; }
  // One number beside the number it must not pass or must reach.
  void line(const std::string& name, double ours, double reference, std::string_view unit,
            Bar bar = {});

  const std::vector<std::string>& missed() const { return missed_; }
  const std::vector<std::string>& not_shown() const { return not_shown_; }
  // Says what was missed or not shown, and answers the program's exit code: 3, 4, or 0 for neither.
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
