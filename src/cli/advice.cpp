#include "cli/advice.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "server/settings/near_miss.h"

namespace longshore {
namespace {

// Advice on the second word of "token create". Empty if the first word is not a group.
std::string advice_within(const std::vector<std::string>& words) {
  std::vector<std::string_view> known;
  bool alone = false;
  for (const CliCommand& command : all_commands()) {
    alone = alone || command.name == words.front();
    if (command.name.starts_with(words.front() + " ")) {
      known.push_back(command.name.substr(words.front().size() + 1));
    }
  }
  const bool given = words.size() > 1 && !words[1].starts_with("-");
  if (known.empty() || (alone && !given)) return "";
  if (given && std::ranges::find(known, words[1]) != known.end()) return "";
  std::string all;
  for (const std::string_view word : known) all += (all.empty() ? "" : ", ") + std::string(word);
  return words.front() + " needs a subcommand: " + all +
         (given ? did_you_mean(words[1], known) : "");
}

std::string advice_on_flags(const CliCommand& command, const std::vector<std::string>& words) {
  std::vector<std::string> flags = {"--config", "--help"};
  for (const Flag& flag : command.flags) flags.emplace_back(flag.name);
  for (const Option* option : options_of(command)) flags.push_back(flag_of(*option));
  const std::vector<std::string_view> known(flags.begin(), flags.end());
  for (const std::string& word : words) {
    const std::string flag = word.substr(0, word.find('='));
    if (flag == "--") break;
    if (!flag.starts_with("--") || std::ranges::find(flags, flag) != flags.end()) continue;
    return std::string(command.name) + " has no flag " + flag + did_you_mean(flag, known);
  }
  return "";
}

std::string upper(std::string_view text) {
  std::string all(text);
  std::ranges::transform(all, all.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return all;
}

}  // namespace

const CliCommand* command_of(const std::vector<std::string>& words) {
  const CliCommand* found = nullptr;
  for (const CliCommand& command : all_commands()) {
    const bool two = words.size() > 1 && command.name == words[0] + " " + words[1];
    if (two || (found == nullptr && !words.empty() && command.name == words[0])) found = &command;
  }
  return found;
}

std::string advice(const std::vector<std::string>& words) {
  if (words.empty()) return "";
  if (words.front().starts_with("--")) {
    return "the first argument must be a command; " + words.front() + " goes after it";
  }
  std::set<std::string> first;
  for (const CliCommand& command : all_commands()) {
    first.emplace(command.name.substr(0, command.name.find(' ')));
  }
  if (!first.contains(words.front()) && !words.front().starts_with("-")) {
    const std::vector<std::string_view> known(first.begin(), first.end());
    return "unknown command \"" + words.front() + "\"" + did_you_mean(words.front(), known);
  }
  if (const std::string better = advice_within(words); !better.empty()) return better;
  const CliCommand* command = command_of(words);
  return command == nullptr ? "" : advice_on_flags(*command, words);
}

Result<std::string> known_word(std::string_view name, const std::string& value,
                               const std::vector<std::string_view>& words) {
  const std::string wanted = upper(value);
  std::string all;
  std::vector<std::string> uppers;
  for (const std::string_view word : words) {
    if (upper(word) == wanted) return std::string(word);
    all += (all.empty() ? "" : ", ") + std::string(word);
    uppers.push_back(upper(word));
  }
  // Typos are matched in any letter case.
  const std::vector<std::string_view> known(uppers.begin(), uppers.end());
  std::string meant;
  if (const auto near = nearest(wanted, known)) {
    const auto at = std::ranges::find(known, *near) - known.begin();
    meant = "; did you mean " + std::string(words[static_cast<std::size_t>(at)]) + "?";
  }
  return Error{Errc::invalid,
               std::string(name) + " must be one of " + all + ", got \"" + value + "\"" + meant};
}

}  // namespace longshore
