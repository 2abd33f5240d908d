#include "server/report/log.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

#include "core/json/json_value.h"
#include "core/text/time_text.h"
#include "core/time/clock.h"
#include "server/settings/settings.h"
#include "worker/plain_text.h"

namespace longshore {
namespace {

std::string quoted(std::string_view text) {
  std::string json;
  append_json_string(json, plain_text(text));
  return json;
}

std::string json_value(const LogField& field) {
  if (const auto* number = std::get_if<std::int64_t>(&field.value)) return std::to_string(*number);
  return quoted(std::get<std::string>(field.value));
}

bool needs_quotes(std::string_view text) {
  if (text.empty()) return true;
  for (const char letter : text) {
    if (static_cast<unsigned char>(letter) <= ' ' || letter == '"' || letter == 0x7f) return true;
  }
  return false;
}

std::string human_value(const LogField& field) {
  const auto* text = std::get_if<std::string>(&field.value);
  if (text != nullptr && !needs_quotes(*text)) return plain_text(*text);
  return json_value(field);
}

std::string one_line(std::string_view text) {
  std::string line = plain_text(text);
  for (char& letter : line) {
    if (static_cast<unsigned char>(letter) < ' ' || letter == 0x7f) letter = ' ';
  }
  return line;
}

std::string json_line(const LogLine& line) {
  std::string text = "{\"time\":\"" + to_text(line.at) + "\",\"level\":\"" +
                     std::string(to_text(line.level)) + "\",\"message\":" + quoted(line.message);
  for (const LogField& field : line.fields) {
    text += "," + quoted(field.name) + ":" + json_value(field);
  }
  return text + "}";
}

std::string human_line(const LogLine& line) {
  std::string level(to_text(line.level));
  level.resize(5, ' ');
  std::string text = to_text(line.at) + " " + level + " " + one_line(line.message);
  for (const LogField& field : line.fields) {
    text += " " + std::string(field.name) + "=" + human_value(field);
  }
  return text;
}

}  // namespace

std::string_view to_text(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return "debug";
    case LogLevel::info:
      return "info";
    case LogLevel::warn:
      return "warn";
    case LogLevel::error:
      break;
  }
  return "error";
}

LogFormat log_format(const Settings& settings) {
  return settings.text("log-format") == "json" ? LogFormat::json : LogFormat::human;
}

LogLevel log_level(const Settings& settings) {
  const std::string word = settings.text("log-level");
  for (const LogLevel level : {LogLevel::debug, LogLevel::info, LogLevel::warn}) {
    if (to_text(level) == word) return level;
  }
  return LogLevel::error;
}

std::string format_line(LogFormat format, const LogLine& line) {
  return format == LogFormat::json ? json_line(line) : human_line(line);
}

// We format lines ourselves, since spdlog patterns do not escape; its sink writes whole lines from
// any thread.
struct Log::Sink {
  spdlog::logger logger{"longshore", std::make_shared<spdlog::sinks::stderr_sink_mt>()};
};

Log::Log(LogFormat format, LogLevel least)
    : format_(format), least_(least), sink_(std::make_unique<Sink>()) {
  sink_->logger.set_formatter(std::make_unique<spdlog::pattern_formatter>("%v"));
  sink_->logger.set_level(spdlog::level::trace);
  sink_->logger.flush_on(spdlog::level::trace);
}

Log::~Log() = default;

void Log::write(LogLevel level, std::string_view message, LogFields fields) {
  if (level < least_) return;
  SystemClock clock;
  const std::string line = format_line(
      format_, {.at = clock.now(), .level = level, .message = message, .fields = fields});
  sink_->logger.log(spdlog::level::info, spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace longshore
