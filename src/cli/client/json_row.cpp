#include "cli/client/json_row.h"

#include "core/json/json_value.h"

namespace longshore {

JsonRow::JsonRow(std::string_view json) {
  if (!scan_object(json, members_, json_depth_limit)) members_.clear();
}

std::string_view JsonRow::raw(std::string_view name) const {
  for (const JsonMember& member : members_) {
    if (is_named(member, name)) return member.value.text;
  }
  return {};
}

std::string JsonRow::text(std::string_view name) const {
  for (const JsonMember& member : members_) {
    if (!is_named(member, name)) continue;
    if (member.value.kind == JsonKind::null) return "";
    return json_string(member.value).value_or(std::string(member.value.text));
  }
  return "";
}

double JsonRow::number(std::string_view name) const {
  for (const JsonMember& member : members_) {
    if (is_named(member, name)) return json_number(member.value).value_or(0);
  }
  return 0;
}

std::vector<std::string> JsonRow::names() const {
  std::vector<std::string> names;
  for (const JsonMember& member : members_) names.push_back(json_name(member));
  return names;
}

std::vector<std::string_view> JsonRow::list(std::string_view name) const {
  std::vector<JsonSlice> elements;
  std::vector<std::string_view> texts;
  if (!scan_array(raw(name), elements, json_depth_limit)) return texts;
  for (const JsonSlice& element : elements) texts.push_back(element.text);
  return texts;
}

std::string json_list(std::string_view name, const std::vector<std::string>& elements,
                      std::string_view more) {
  std::string json = "{\"" + std::string(name) + "\":[";
  for (std::size_t i = 0; i < elements.size(); ++i) json += (i == 0 ? "" : ",") + elements[i];
  return json + "]" + std::string(more) + "}";
}

}  // namespace longshore
