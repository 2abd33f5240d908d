#include "unit/api/schema_check.h"

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "core/text/utf8.h"

namespace longshore {
namespace {

namespace js = boost::json;

std::string text_of(const js::value& value) { return js::serialize(value); }

bool is_of_type(const js::value& value, std::string_view type) {
  if (type == "null") return value.is_null();
  if (type == "boolean") return value.is_bool();
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_int64() || value.is_uint64();
  return type == "number" && value.is_number();
}

bool has_one_of_types(const js::value& value, const js::value& types) {
  if (types.is_string()) return is_of_type(value, types.as_string());
  return std::ranges::any_of(
      types.as_array(), [&](const js::value& type) { return is_of_type(value, type.as_string()); });
}

double number(const js::value& value) { return value.to_number<double>(); }

// Compiling one is far more expensive than using it.
const std::regex& regex_for(const std::string& pattern) {
  static std::map<std::string, std::regex> known;
  return known.try_emplace(pattern, pattern).first->second;
}

// Keywords about one value without its members. Returns what is wrong, or nothing.
std::string scalar_fault(std::string_view keyword, const js::value& wanted,
                         const js::value& value) {
  const auto unless = [&](bool good) {
    return good ? std::string()
                : text_of(value) + " breaks " + std::string(keyword) + ' ' + text_of(wanted);
  };
  if (keyword == "type") return unless(has_one_of_types(value, wanted));
  if (keyword == "const") return unless(value == wanted);
  if (keyword == "enum") {
    return unless(std::ranges::find(wanted.as_array(), value) != wanted.as_array().end());
  }
  if (value.is_number()) {
    if (keyword == "minimum") return unless(number(value) >= number(wanted));
    if (keyword == "maximum") return unless(number(value) <= number(wanted));
    if (keyword == "exclusiveMinimum") return unless(number(value) > number(wanted));
  }
  if (value.is_string()) {
    const std::string text(value.as_string());
    const auto length = static_cast<double>(utf8_length(text).value_or(0));
    if (keyword == "minLength") return unless(length >= number(wanted));
    if (keyword == "maxLength") return unless(length <= number(wanted));
    if (keyword == "pattern") {
      return unless(std::regex_search(text, regex_for(std::string(wanted.as_string()))));
    }
  }
  if (value.is_array()) {
    const auto size = static_cast<double>(value.as_array().size());
    if (keyword == "minItems") return unless(size >= number(wanted));
    if (keyword == "maxItems") return unless(size <= number(wanted));
  }
  if (value.is_object() && keyword == "maxProperties") {
    return unless(static_cast<double>(value.as_object().size()) <= number(wanted));
  }
  return {};
}

bool is_scalar_keyword(std::string_view keyword) {
  static const std::set<std::string_view> known = {
      "type",      "const",     "enum",    "minimum",  "maximum",  "exclusiveMinimum",
      "minLength", "maxLength", "pattern", "minItems", "maxItems", "maxProperties"};
  return known.contains(keyword);
}

bool is_remark(std::string_view keyword) {
  return keyword == "description" || keyword == "default" || keyword == "format";
}

}  // namespace

const js::value& SchemaCheck::component(const std::string& name) const {
  return document_.at("components").at("schemas").at(name);
}

bool SchemaCheck::passes(const js::value& schema, const js::value& value) const {
  return faults(schema, value).empty();
}

std::vector<std::string> SchemaCheck::faults(const js::value& schema,
                                             const js::value& value) const {
  std::vector<std::string> found;
  check(schema, value, "", found);
  return found;
}

void SchemaCheck::check(const js::value& schema, const js::value& value, const std::string& place,
                        std::vector<std::string>& faults) const {
  const js::object& wanted = schema.as_object();
  const auto complain = [&](const std::string& what) { faults.push_back(place + ": " + what); };
  const js::value* properties = wanted.if_contains("properties");
  const js::value* others = wanted.if_contains("additionalProperties");
  for (const auto& [keyword, content] : wanted) {
    if (is_remark(keyword) || keyword == "additionalProperties") continue;
    if (is_scalar_keyword(keyword)) {
      if (const std::string fault = scalar_fault(keyword, content, value); !fault.empty()) {
        complain(fault);
      }
    } else if (keyword == "$ref") {
      const std::string reference(content.as_string());
      check(component(reference.substr(reference.rfind('/') + 1)), value, place, faults);
    } else if (keyword == "items") {
      if (!value.is_array()) continue;
      std::size_t i = 0;
      for (const js::value& item : value.as_array()) {
        check(content, item, place + '[' + std::to_string(i++) + ']', faults);
      }
    } else if (keyword == "required") {
      for (const js::value& name : content.as_array()) {
        if (!value.is_object() || value.as_object().contains(name.as_string())) continue;
        complain("has no " + std::string(name.as_string()));
      }
    } else if (keyword == "oneOf") {
      const auto count = std::ranges::count_if(
          content.as_array(), [&](const js::value& one) { return passes(one, value); });
      if (count != 1) complain(std::to_string(count) + " of oneOf match " + text_of(value));
    } else if (keyword != "properties") {
      complain("the keyword " + std::string(keyword) + " is not understood");
    }
  }
  if (!value.is_object() || (properties == nullptr && others == nullptr)) return;
  for (const auto& [name, member] : value.as_object()) {
    const std::string member_place = place + '.' + std::string(name);
    const js::value* known =
        properties == nullptr ? nullptr : properties->as_object().if_contains(name);
    if (known == nullptr && others != nullptr && others->is_object()) known = others;
    if (known == nullptr) {
      faults.push_back(member_place + " is not in the document");
    } else {
      check(*known, member, member_place, faults);
    }
  }
}

bool SchemaCheck::has_answer(std::string_view path, std::string_view method,
                             const std::string& status) const {
  const js::object& paths = document_.at("paths").as_object();
  if (!paths.contains(path) || !paths.at(path).as_object().contains(method)) return false;
  return paths.at(path).at(method).at("responses").as_object().contains(status);
}

const js::value* SchemaCheck::answer_schema(std::string_view path, std::string_view method,
                                            const std::string& status) const {
  if (!has_answer(path, method, status)) return nullptr;
  const js::value& answer = document_.at("paths").at(path).at(method).at("responses").at(status);
  const js::value* content = answer.as_object().if_contains("content");
  if (content == nullptr) return nullptr;
  return &content->as_object().begin()->value().at("schema");
}

}  // namespace longshore
