// Validates JSON against the schemas of the OpenAPI document. Supports the keywords that the
// document uses; an unsupported keyword is a fault, so that none is ignored silently.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace longshore {

class SchemaCheck {
 public:
  // The document is kept by reference and may be changed between checks.
  explicit SchemaCheck(const boost::json::value& document) : document_(document) {}

  // All faults, each with its path. Members that the schema does not name are faults if it names
  // any.
  std::vector<std::string> faults(const boost::json::value& schema,
                                  const boost::json::value& value) const;

  // The schema of an answer; null if the document has none for it. `status` is "200" or "default".
  const boost::json::value* answer_schema(std::string_view path, std::string_view method,
                                          const std::string& status) const;
  bool has_answer(std::string_view path, std::string_view method, const std::string& status) const;
  const boost::json::value& component(const std::string& name) const;

 private:
  void check(const boost::json::value& schema, const boost::json::value& value,
             const std::string& place, std::vector<std::string>& faults) const;
  bool passes(const boost::json::value& schema, const boost::json::value& value) const;

  const boost::json::value& document_;
};

}  // namespace longshore
