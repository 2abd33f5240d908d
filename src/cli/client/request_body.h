// The JSON body of a call, made of a command's flags member by member.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cli/command.h"
#include "longshore/json.h"

namespace longshore {

// Remembers the first flag that was wrong. `invocation` must outlive it.
class RequestBody {
 public:
  explicit RequestBody(const Invocation& invocation);

  // Each takes its value from a flag, and adds nothing if that was not given.
  void text(std::string_view flag, std::string_view member);
  void number(std::string_view flag, std::string_view member);
  void duration(std::string_view flag, std::string_view member);
  void tags();      // of every --tag
  void metadata();  // of every --metadata NAME=VALUE

  void string(std::string_view member, std::string_view value);
  void raw(std::string_view member, std::string_view json);

  // Errc::invalid with the flag and what it takes.
  Result<std::string> take();

 private:
  void complain(std::string_view flag, std::string_view what);

  const Invocation& invocation_;
  JsonWriter json_;
  std::optional<Error> fault_;
};

}  // namespace longshore
