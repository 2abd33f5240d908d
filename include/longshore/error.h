// Errors: a Result<T> is a T or an Error. Branch on the code; show the message to users. A refused
// command in a commit has a code of the contract instead (see code.h).
#pragma once

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "longshore/code.h"

namespace longshore {

// Why a whole call failed.
enum class Errc {
  unavailable,  // the outcome is unknown; sending the same call again is safe
  overloaded,   // nothing happened; retry later
  disk_full,    // nothing happened; the store's disk is full
  invalid,      // nothing happened; the message names the invalid argument
  not_found,    // it does not exist
  refused,      // nothing happened; not allowed in this state (profile, version, owner)
  corrupt,      // the store is inconsistent; stop and investigate
};

std::string_view to_text(Errc code);

struct Error {
  Errc code = Errc::unavailable;
  std::string message = {};          // what was wrong, where, and what to do
  std::optional<Code> refusal = {};  // the contract's code, if a command was refused

  friend bool operator==(const Error&, const Error&) = default;
};

// A T or an Error. The compiler warns if one is ignored. Accessing the value of a failed Result is
// a bug and aborts; test it first.
template <class T>
class [[nodiscard]] Result {
 public:
  using Value = T;

  Result(T value) : held_(std::in_place_index<0>, std::move(value)) {}      // NOLINT
  Result(Error error) : held_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  bool ok() const { return held_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return *checked(this); }
  const T& value() const& { return *checked(this); }
  // By value, so that a loop over the value of a temporary Result is safe.
  T value() && { return std::move(*checked(this)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T* operator->() { return checked(this); }
  const T* operator->() const { return checked(this); }

  // REQUIRES: !ok()
  const Error& error() const {
    const Error* error = std::get_if<1>(&held_);
    if (error == nullptr) std::abort();
    return *error;
  }

 private:
  template <class Self>
  static auto checked(Self* self) {
    auto* value = std::get_if<0>(&self->held_);
    if (value == nullptr) std::abort();
    return value;
  }

  std::variant<T, Error> held_;
};

// The value of a Result that only tells success or failure.
struct Nothing {
  friend bool operator==(const Nothing&, const Nothing&) = default;
};

}  // namespace longshore
