// What a test cannot do without. Result::value() of an error aborts the whole program and says
// nothing; this throws, so that one test fails, with the error's words.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "longshore/error.h"

namespace longshore {

template <class T>
T must(Result<T> result) {
  if (result) return std::move(result).value();
  const Error& error = result.error();
  throw std::runtime_error("unexpected error: " + std::string(to_text(error.code)) + ": " +
                           error.message);
}

}  // namespace longshore
