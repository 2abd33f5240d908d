// Validation of names and keys. Each function returns what is wrong, as a message, or none if the
// name is valid.
//
// Limits count Unicode code points. U+0000 is never allowed, because some databases cannot store
// it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace longshore {

using NameFault = std::optional<std::string> (*)(std::string_view name);

// 1 to 128 of A-Z a-z 0-9 . _ : - and not reserved.
std::optional<std::string> job_type_fault(std::string_view name);

// The same without the reserved names check, for looking up jobs.
std::optional<std::string> any_job_type_fault(std::string_view name);

// Begins with "longshore." or "_", which only Longshore's own jobs may.
bool is_reserved_job_type(std::string_view name);

// 1 to 128 of A-Z a-z 0-9 . _ : -
std::optional<std::string> queue_fault(std::string_view name);

// An http or https URL of at most 2048 bytes.
std::optional<std::string> callback_url_fault(std::string_view url);

// The name of a secret in the configuration: 1 to 128 of the same characters.
std::optional<std::string> secret_name_fault(std::string_view name);

// 1 to 128 of the same characters.
std::optional<std::string> namespace_fault(std::string_view name);

// The display name of a token: 1 to 64 characters of UTF-8.
std::optional<std::string> token_name_fault(std::string_view name);

// A job key or an idempotency key: 1 to 255 characters of UTF-8.
std::optional<std::string> key_fault(std::string_view key);

// 1 to 255 characters of UTF-8.
std::optional<std::string> worker_id_fault(std::string_view id);

// 1 to 64 characters of UTF-8.
std::optional<std::string> tag_fault(std::string_view tag);

}  // namespace longshore
