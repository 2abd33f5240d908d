// Builds the JSON body of a request from the flags of a command.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/command.h"
#include "longshore/json.h"

namespace longshore {

// Remembers the first invalid flag. `invocation` must outlive it.
class RequestBody {
 public:
  explicit RequestBody(const Invocation& invocation);

  // Each adds a member with the value of a flag, and nothing if the flag was not given.
  void text(std::string_view flag, std::string_view member);
  void number(std::string_view flag, std::string_view member);
  void duration(std::string_view flag, std::string_view member);
  void tags();      // of every --tag
  void metadata();  // of every --metadata NAME=VALUE

  void string(std::string_view member, std::string_view value);
  void raw(std::string_view member, std::string_view json);

  // Errc::invalid with the flag and the expected value.
  Result<std::string> take();

 private:
  void add_fault(std::string_view flag, std::string_view what);

  const Invocation& invocation_;
  JsonWriter json_;
  std::optional<Error> fault_;
};

}  // namespace longshore
