#include "api/wire/json_place.h"

#include <algorithm>
#include <vector>

namespace longshore {
namespace {

// One enclosing array or object.
struct Level {
  bool is_object = false;
  std::string_view name;  // of the member being read
  std::size_t index = 0;  // of the element being read
};

std::string described(const std::vector<Level>& path, int levels) {
  std::string place;
  for (const Level& level : path) {
    if (levels-- <= 0) break;
    if (!level.is_object) {
      place += '[' + std::to_string(level.index) + ']';
    } else {
      if (!place.empty()) place += '.';
      place += level.name;
    }
  }
  return place;
}

}  // namespace

std::string_view json_string_at(std::string_view text, std::size_t quote) {
  std::size_t end = quote + 1;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  return text.substr(quote + 1, std::min(end, text.size()) - quote - 1);
}

std::string json_place(std::string_view text, std::size_t offset, int levels) {
  std::vector<Level> path;
  std::string_view latest;  // the latest string: a name, if a colon follows
  for (std::size_t i = 0; i < std::min(offset, text.size()); ++i) {
    switch (text[i]) {
      case '"':
        latest = json_string_at(text, i);
        i += latest.size() + 1;
        break;
      case ':':
        path.back().name = latest;
        break;
      case ',':
        path.back().index += 1;
        break;
      case '{':
      case '[':
        path.push_back({.is_object = text[i] == '{'});
        break;
      case '}':
      case ']':
        path.pop_back();
        break;
      default:
        break;
    }
  }
  return described(path, levels);
}

}  // namespace longshore
