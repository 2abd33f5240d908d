// Scans JSON strings and numbers. Used by json_scan only; other code scans whole documents.
#pragma once

namespace longshore {

struct JsonToken {
  const char* end = nullptr;   // after the token, or at the first invalid byte
  const char* what = nullptr;  // the error as a message; null if the token is valid
  bool is_bad_utf8 = false;    // the error is the encoding
  bool has_escapes = false;
};

// REQUIRES: `at` is the opening quote.
JsonToken scan_json_string(const char* at, const char* end);

// REQUIRES: `at` is a minus sign or a digit.
JsonToken scan_json_number(const char* at, const char* end);

}  // namespace longshore
