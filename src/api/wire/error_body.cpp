#include "api/wire/error_body.h"

#include "core/rules/limits.h"
#include "core/text/utf8.h"

namespace longshore {
namespace {

std::optional<std::string> code_fault(std::string_view code) {
  const std::optional<std::size_t> length = utf8_length(code);
  const bool fits = length && *length >= 1 && *length <= error_code_characters_max;
  if (fits && !code.contains('\0')) return std::nullopt;
  return "must be 1 to 128 characters";
}

}  // namespace

std::optional<std::string> read_plain_text(Fields& fields, std::string_view name) {
  std::optional<std::string> text = fields.text(name);
  if (!text || !text->contains('\0')) return text;
  std::string without;
  for (const char c : *text) {
    if (c == '\0') {
      append_utf8(without, 0xFFFD);
    } else {
      without += c;
    }
  }
  return without;
}

std::optional<JobError> read_error(Fields& fields, std::string_view name) {
  std::optional<Fields> members = fields.object(name);
  if (!members) return std::nullopt;
  JobError error;
  error.code = members->text("code", code_fault).value_or("");
  members->require("message");
  error.message = read_plain_text(*members, "message").value_or("");
  error.details = members->json("details", error_details_bytes_max).value_or("");
  members->finish();
  return error;
}

}  // namespace longshore
