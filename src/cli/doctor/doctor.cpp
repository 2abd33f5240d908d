#include <algorithm>
#include <iostream>

#include "cli/client/store_access.h"
#include "cli/command.h"
#include "cli/doctor/diagnosis.h"
#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"
#include "longshore/json.h"

namespace longshore {
namespace {

using Level = Diagnosis::Level;

std::string json_of(const Diagnosis& diagnosis) {
  JsonWriter json;
  json.begin_object();
  json.name("level");
  json.string(to_text(diagnosis.level));
  json.name("about");
  json.string(diagnosis.about);
  json.name("what");
  json.string(sanitized(diagnosis.what));
  if (!diagnosis.advice.empty()) {
    json.name("advice");
    json.string(diagnosis.advice);
  }
  json.end_object();
  return json.take();
}

void print_text(const Diagnoses& found) {
  const bool colours = screen().colours;
  for (const Diagnosis& diagnosis : found) {
    const Colour colour = diagnosis.level == Level::good      ? Colour::green
                          : diagnosis.level == Level::warning ? Colour::yellow
                                                              : Colour::red;
    const std::string word(to_text(diagnosis.level));
    std::cout << painted(word, colour, colours) << std::string(9 - word.size(), ' ')
              << diagnosis.about << ": " << sanitized(diagnosis.what) << "\n";
    if (!diagnosis.advice.empty()) std::cout << "         → " << diagnosis.advice << "\n";
  }
  const auto count = [&](Level level) {
    return std::ranges::count(found, level, &Diagnosis::level);
  };
  std::cout << count(Level::problem) << " problems, " << count(Level::warning) << " warnings\n";
}

}  // namespace

std::string_view to_text(Level level) {
  switch (level) {
    case Level::good:
      return "ok";
    case Level::warning:
      return "warning";
    case Level::problem:
      break;
  }
  return "problem";
}

ExitCode run_doctor(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  Diagnoses found;
  found.push_back({Level::good, "versions", "this program is " LONGSHORE_VERSION});
  examine_machine(settings, found);
  examine_security(settings, found);
  if (!prefers_server(settings)) examine_store(settings, found);
  const bool answers = examine_server(settings, found);
  const bool expected = is_given(settings, "server");
  if (!answers) {
    found.push_back({expected ? Level::problem : Level::good, "server",
                     "no server responds at " + settings.text("server"),
                     expected ? "start it with `longshore serve`, or correct --server" : ""});
  }
  const Format format = format_of(settings);
  if (format == Format::text) {
    print_text(found);
  } else {
    std::vector<std::string> objects;
    for (const Diagnosis& diagnosis : found) objects.push_back(json_of(diagnosis));
    print_list(format, "findings", objects);
  }
  if (!answers && expected) return ExitCode::unreachable;
  const bool ill = std::ranges::find(found, Level::problem, &Diagnosis::level) != found.end();
  return ill ? ExitCode::failed : ExitCode::done;
}

}  // namespace longshore
