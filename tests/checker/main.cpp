// longshore_checker [options] FILE...: checks the history in the files, prints the report, and
// exits with 0 if it is valid, 1 if not, 2 if it could not be read.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "checker/history_json.h"
#include "checker/judge.h"
#include "core/policy/profiles.h"

namespace longshore::checker {
namespace {

constexpr const char* usage =
    "Usage: longshore_checker [options] FILE...\n"
    "  --profile=NAME      the rules of the store; native unless said\n"
    "  --fault-free        nothing was disturbed: no job may run twice\n"
    "  --horizon=SECONDS   everything has ended this long after the mark \"heal\"\n"
    "  --require=COUNTER   this counter must not be 0; may be repeated\n"
    "Files are read one after another: what a later one tells happened later.\n";

struct Request {
  Options options;
  std::vector<std::string> files;
};

bool take(std::string_view argument, Request& request) {
  const auto value = [&](std::string_view name) -> std::optional<std::string> {
    if (!argument.starts_with(name)) return std::nullopt;
    return std::string(argument.substr(name.size()));
  };
  if (const auto name = value("--profile=")) {
    const std::optional<Rules> rules = profile(*name);
    if (rules) request.options.rules = *rules;
    return rules.has_value();
  }
  if (const auto seconds = value("--horizon=")) {
    if (seconds->empty() || seconds->size() > 9 ||
        seconds->find_first_not_of("0123456789") != std::string::npos) {
      return false;
    }
    request.options.horizon = Duration::seconds(std::stoll(*seconds));
    return true;
  }
  if (const auto counter = value("--require=")) {
    request.options.required.push_back(*counter);
    return true;
  }
  if (argument == "--fault-free") return request.options.fault_free = true;
  if (argument.starts_with("-")) return false;
  request.files.emplace_back(argument);
  return true;
}

int run(const Request& request) {
  History history;
  for (const std::string& file : request.files) {
    std::ifstream in(file, std::ios::binary);
    if (!in) {
      std::fprintf(stderr, "longshore_checker: cannot open %s\n", file.c_str());
      return 2;
    }
    const std::string text(std::istreambuf_iterator<char>(in), {});
    const Result<Nothing> read = read_lines(text, history);
    if (!read) {
      std::fprintf(stderr, "longshore_checker: %s: %s\n", file.c_str(),
                   read.error().message.c_str());
      return 2;
    }
  }
  if (!history.dumped_at) {
    std::fprintf(stderr, "longshore_checker: there is no complete dump of the store\n");
    return 2;
  }
  const Judgement judgement = judge(history, request.options);
  std::fputs(to_text(judgement).c_str(), stdout);
  return judgement.valid() ? 0 : 1;
}

}  // namespace
}  // namespace longshore::checker

int main(int argc, char** argv) {
  longshore::checker::Request request;
  for (int i = 1; i < argc; ++i) {
    if (!longshore::checker::take(argv[i], request)) {
      std::fprintf(stderr, "longshore_checker: what is %s?\n%s", argv[i],
                   longshore::checker::usage);
      return 2;
    }
  }
  if (request.files.empty()) {
    std::fputs(longshore::checker::usage, stderr);
    return 2;
  }
  return longshore::checker::run(request);
}
