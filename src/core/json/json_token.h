// The two tokens of JSON that have an inside, strings and numbers. For core/json_scan alone;
// everybody else scans whole documents.
#pragma once

namespace longshore {

struct JsonToken {
  const char* end = nullptr;   // just behind the token, or at the first byte that is wrong
  const char* what = nullptr;  // what is wrong there, as a sentence; null if the token is sound
  bool is_bad_utf8 = false;    // what is wrong is the encoding
  bool has_escapes = false;
};

// REQUIRES: `at` is the opening quote.
JsonToken scan_json_string(const char* at, const char* end);

// REQUIRES: `at` is a minus sign or a digit.
JsonToken scan_json_number(const char* at, const char* end);

}  // namespace longshore
