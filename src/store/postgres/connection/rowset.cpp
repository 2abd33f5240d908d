#include "store/postgres/connection/rowset.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

namespace longshore::postgres {
namespace {

template <class Word>
std::uint64_t whole_word(std::string_view bytes) {
  Word value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return std::endian::native == std::endian::little ? std::byteswap(value) : value;
}

std::uint64_t word(std::string_view bytes) {
  if (bytes.size() == 8) return whole_word<std::uint64_t>(bytes);
  if (bytes.size() == 4) return whole_word<std::uint32_t>(bytes);
  std::uint64_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

}  // namespace

bool RowSet::next() {
  column_ = 0;
  inside_ = false;
  return ++row_ < count();
}

std::int64_t RowSet::affected() const {
  if (!result_) return 0;
  const std::string_view tag = PQcmdTuples(result_.get());
  std::int64_t number = 0;
  std::from_chars(tag.data(), tag.data() + tag.size(), number);
  return number;
}

// A record is how many values it has, and for each the type, the length and the bytes.
bool RowSet::enter() {
  if (is_null()) return skip(), false;
  constexpr std::uint64_t null_size = 0xFFFFFFFF;
  std::string_view rest(PQgetvalue(result_.get(), row_, column_),
                        static_cast<std::size_t>(PQgetlength(result_.get(), row_, column_)));
  const auto taken = [&rest](std::size_t size) {
    const std::string_view front = rest.substr(0, size);
    rest.remove_prefix(front.size());
    return front;
  };
  fields_.resize(word(taken(4)));
  for (auto& field : fields_) {
    taken(4);
    const std::uint64_t size = word(taken(4));
    field = size == null_size ? std::nullopt : std::optional(taken(size));
  }
  field_ = 0;
  inside_ = true;
  return true;
}

bool RowSet::is_null() const {
  if (inside_) return !fields_.at(static_cast<std::size_t>(field_)).has_value();
  return PQgetisnull(result_.get(), row_, column_) != 0;
}

std::string_view RowSet::bytes() {
  if (inside_) return fields_.at(static_cast<std::size_t>(field_++)).value_or("");
  const int length = PQgetlength(result_.get(), row_, column_);
  const char* value = PQgetvalue(result_.get(), row_, column_);
  ++column_;
  return {value, static_cast<std::size_t>(length)};
}

std::int64_t RowSet::integer() {
  const std::string_view value = bytes();
  const std::uint64_t number = word(value);
  if (value.size() == 2) return static_cast<std::int16_t>(number);
  if (value.size() == 4) return static_cast<std::int32_t>(number);
  return static_cast<std::int64_t>(number);
}

bool RowSet::boolean() { return word(bytes()) != 0; }

std::pair<std::uint64_t, std::uint64_t> RowSet::halves() {
  const std::string_view value = bytes();
  if (value.size() != 16) return {0, 0};
  return {word(value.substr(0, 8)), word(value.substr(8))};
}

std::optional<std::string> RowSet::optional_text() {
  if (is_null()) return skip(), std::nullopt;
  return text();
}

std::optional<Instant> RowSet::optional_instant() {
  if (is_null()) return skip(), std::nullopt;
  return instant();
}

std::optional<Duration> RowSet::optional_duration() {
  if (is_null()) return skip(), std::nullopt;
  return duration();
}

std::optional<int> RowSet::optional_small() {
  if (is_null()) return skip(), std::nullopt;
  return small();
}

std::optional<RowPlace> RowSet::optional_place() {
  RowPlace place;
  const std::string_view value = bytes();
  if (value.size() != place.bytes.size()) return std::nullopt;
  std::ranges::copy(value, place.bytes.begin());
  return place;
}

}  // namespace longshore::postgres
