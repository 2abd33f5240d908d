// Which names people may give. Each function answers what is wrong with a name, as a sentence for
// people, or nothing if it may be used.
//
// Characters are Unicode code points, so that a limit means the same in every script. U+0000 is
// refused everywhere, since not every database can keep it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace longshore {

using NameFault = std::optional<std::string> (*)(std::string_view name);

// 1 to 128 of A-Z a-z 0-9 . _ : - and not reserved.
std::optional<std::string> job_type_fault(std::string_view name);

// The same, and Longshore's own too: of jobs that are looked for, not made.
std::optional<std::string> any_job_type_fault(std::string_view name);

// Begins with "longshore." or "_": only Longshore's own jobs are called so.
bool is_reserved_job_type(std::string_view name);

// 1 to 128 of A-Z a-z 0-9 . _ : -
std::optional<std::string> queue_fault(std::string_view name);

// Where an outcome may be delivered: an http or https URL of at most 2048 bytes.
std::optional<std::string> callback_url_fault(std::string_view url);

// What a secret of the configuration is called: 1 to 128 of the same characters.
std::optional<std::string> secret_name_fault(std::string_view name);

// 1 to 128 of the same characters.
std::optional<std::string> namespace_fault(std::string_view name);

// What operators see a token as: 1 to 64 characters of UTF-8.
std::optional<std::string> token_name_fault(std::string_view name);

// A job key or an idempotency key: 1 to 255 characters of UTF-8.
std::optional<std::string> key_fault(std::string_view key);

// 1 to 255 characters of UTF-8.
std::optional<std::string> worker_id_fault(std::string_view id);

// 1 to 64 characters of UTF-8.
std::optional<std::string> tag_fault(std::string_view tag);

}  // namespace longshore
