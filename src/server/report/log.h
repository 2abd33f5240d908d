// The server's log: one line per event on standard error. Never pass it payloads, tokens or
// passwords.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "longshore/time.h"

namespace longshore {

enum class LogFormat { human, json };
enum class LogLevel { debug, info, warn, error };

std::string_view to_text(LogLevel level);

class Settings;
// From the options log-format and log-level.
LogFormat log_format(const Settings& settings);
LogLevel log_level(const Settings& settings);

struct LogField {
  std::string_view name;
  std::variant<std::string, std::int64_t> value;
};
using LogFields = std::initializer_list<LogField>;

struct LogLine {
  Instant at;
  LogLevel level = LogLevel::info;
  std::string_view message;
  LogFields fields;
};

// One line without line end. JSON is valid for any text; the human format replaces control
// characters, so that a value cannot forge a line.
std::string format_line(LogFormat format, const LogLine& line);

// Safe to share between threads.
class Log {
 public:
  Log(LogFormat format, LogLevel least);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void write(LogLevel level, std::string_view message, LogFields fields = {});
  void debug(std::string_view message, LogFields fields = {}) {
    write(LogLevel::debug, message, fields);
  }
  void info(std::string_view message, LogFields fields = {}) {
    write(LogLevel::info, message, fields);
  }
  void warn(std::string_view message, LogFields fields = {}) {
    write(LogLevel::warn, message, fields);
  }
  void error(std::string_view message, LogFields fields = {}) {
    write(LogLevel::error, message, fields);
  }

 private:
  const LogFormat format_;
  const LogLevel least_;
  struct Sink;
  std::unique_ptr<Sink> sink_;
};

}  // namespace longshore
