#include "unit/http/hostile_cases.h"

#include <fstream>
#include <sstream>

#include "core/assert.h"
#include "http/parse/characters.h"

namespace longshore {
namespace {

// Reads `text` from `at` up to an unmatched ')', or to its end.
std::string unescape(const std::string& text, std::size_t& at);

std::string unescape_one(const std::string& text, std::size_t& at) {
  const char kind = text.at(at++);
  switch (kind) {
    case 'r':
      return "\r";
    case 'n':
      return "\n";
    case 't':
      return "\t";
    case '0':
      return std::string(1, '\0');
    case '\\':
      return "\\";
    case 'x': {
      const int byte = wire::hex_digit(text.at(at)) * 16 + wire::hex_digit(text.at(at + 1));
      at += 2;
      return std::string(1, static_cast<char>(byte));
    }
    case '(': {
      const std::size_t comma = text.find(',', at);
      const int times = std::stoi(text.substr(at, comma - at));
      at = comma + 1;
      const std::string piece = unescape(text, at);
      LONGSHORE_ASSERT(text.at(at++) == ')', "parentheses are balanced");
      std::string all;
      for (int n = 0; n < times; ++n) all += piece;
      return all;
    }
    default:
      LONGSHORE_ASSERT(false, "the escape is known");
      return {};
  }
}

std::string unescape(const std::string& text, std::size_t& at) {
  const bool nested = at > 0;
  std::string result;
  while (at < text.size() && !(nested && text[at] == ')')) {
    const char c = text[at++];
    result += c == '\\' ? unescape_one(text, at) : std::string(1, c);
  }
  return result;
}

std::string unescape(const std::string& text) {
  std::size_t at = 0;
  return unescape(text, at);
}

HostileCase begin_case(const std::string& line) {
  HostileCase read;
  const std::size_t colon = line.find(": ");
  LONGSHORE_ASSERT(colon != std::string::npos, "a case has a title");
  read.title = line.substr(colon + 2);
  std::istringstream words(line.substr(3, colon - 3));
  for (std::string word; words >> word;) {
    if (word == "closed" || word == "kept") {
      read.closed = word == "closed";
      continue;
    }
    const std::size_t slash = std::min(word.find('/'), word.size() - 1);
    read.answers.push_back({std::stoi(word), word.size() > 3 ? word.substr(slash + 1) : ""});
  }
  return read;
}

void add_line(const std::string& line, HostileCase& read) {
  if (line == "\\end") {
    read.ends = true;
  } else if (line.starts_with("> ")) {
    read.seen.push_back(unescape(line.substr(2)));
  } else if (line.ends_with('\\') && !line.ends_with("\\\\")) {
    read.bytes += unescape(line.substr(0, line.size() - 1));
  } else {
    read.bytes += unescape(line) + "\r\n";
  }
}

}  // namespace

std::vector<HostileCase> read_hostile_cases(const std::string& file) {
  std::ifstream stream(file);
  LONGSHORE_ASSERT(stream.good(), "the file with the cases exists");
  std::vector<HostileCase> cases;
  bool within = false;
  bool blank = false;  // an empty line before a case or a comment is not part of a request
  for (std::string line; std::getline(stream, line);) {
    const bool begins = line.starts_with("== ");
    if (begins || line.starts_with('#')) {
      within = begins;
      blank = false;
      if (begins) cases.push_back(begin_case(line));
      continue;
    }
    if (!within) continue;
    if (blank) add_line("", cases.back());
    blank = line.empty();
    if (!blank) add_line(line, cases.back());
  }
  return cases;
}

}  // namespace longshore
