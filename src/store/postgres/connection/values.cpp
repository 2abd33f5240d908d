#include "store/postgres/connection/values.h"

#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace longshore::postgres {
namespace {

template <class Word>
void store_word(char* place, Word word) {
  if constexpr (std::endian::native == std::endian::little) word = std::byteswap(word);
  std::memcpy(place, &word, sizeof(word));
}

template <class Word>
void append_word(std::string& bytes, Word word) {
  std::array<char, sizeof(Word)> raw;
  store_word(raw.data(), word);
  bytes.append(raw.data(), raw.size());
}

std::uint32_t array_of(Type type) {
  switch (type) {
    case Type::boolean:
      return 1000;
    case Type::bytes:
      return 1001;
    case Type::integer:
      return 1016;
    case Type::small:
      return 0;
    case Type::text:
      return 1009;
    case Type::place:
      return 1010;
    case Type::uuid:
      return 2951;
  }
  return 0;
}

constexpr std::uint32_t null_size = 0xFFFFFFFF;

// Dimensions, whether there are nulls, the type, the length, the first index.
constexpr std::size_t header_bytes = 20;
constexpr std::size_t type_at = 8;

constexpr std::size_t first_bytes = 512;  // room for the values of a small batch

// Makes an array longer, and says where the new bytes begin. What they hold is the caller's.
char* lengthen(std::string& array, std::size_t bytes) {
  if (array.empty()) array.reserve(first_bytes);
  const std::size_t begin = array.empty() ? header_bytes : array.size();
  const std::size_t end = begin + bytes;
  // The library of g++ 12 tells the function the new capacity in place of the size.
  array.resize_and_overwrite(end, [end](char*, std::size_t) { return end; });
  return array.data() + begin;
}

void put_word(std::string& bytes, std::size_t at, std::uint32_t word) {
  store_word(bytes.data() + at, word);
}

void put_header(std::string& array, bool has_null, std::uint32_t type, std::uint32_t count) {
  if (array.empty()) array.resize(header_bytes);
  put_word(array, 0, 1);
  put_word(array, 4, has_null);
  put_word(array, type_at, type);
  put_word(array, 12, count);
  put_word(array, 16, 1);
}

void put_bytes(char* place, std::string_view bytes) {
  if (!bytes.empty()) std::memcpy(place, bytes.data(), bytes.size());
}

void put_id(char* place, std::uint64_t high, std::uint64_t low) {
  store_word(place, high);
  store_word(place + sizeof(high), low);
}

}  // namespace

Wire wire(bool value) { return std::string(1, value ? '\1' : '\0'); }

Wire wire(std::int64_t value) {
  std::string bytes;
  append_word(bytes, static_cast<std::uint64_t>(value));
  return bytes;
}

Wire wire(double value) { return wire(std::bit_cast<std::int64_t>(value)); }
Wire wire(Instant value) { return wire(value.count()); }
Wire wire(Duration value) { return wire(value.count()); }

template <class Tag>
Wire wire(const Id<Tag>& value) {
  std::string bytes;
  append_word(bytes, value.high);
  append_word(bytes, value.low);
  return bytes;
}
template Wire wire(const JobId& value);
template Wire wire(const RequestId& value);
template Wire wire(const NodeId& value);

// A value is its length in bytes, and the bytes.
char* Column::begin_value(std::size_t size) {
  char* const place = lengthen(bytes_, 4 + size);
  store_word(place, static_cast<std::uint32_t>(size));
  ++count_;
  return place + 4;
}

Column& Column::add_number(std::int64_t number) {
  store_word(begin_value(sizeof(number)), static_cast<std::uint64_t>(number));
  return *this;
}

Column& Column::add_bytes(std::string_view bytes) {
  put_bytes(begin_value(bytes.size()), bytes);
  return *this;
}

Column& Column::add_id(std::uint64_t high, std::uint64_t low) {
  put_id(begin_value(sizeof(high) + sizeof(low)), high, low);
  return *this;
}

Column& Column::add_null() {
  store_word(lengthen(bytes_, 4), null_size);
  has_null_ = true;
  ++count_;
  return *this;
}

std::string Column::take() {
  put_header(bytes_, has_null_, static_cast<std::uint32_t>(type_),
             static_cast<std::uint32_t>(count_));
  count_ = 0;
  has_null_ = false;
  return std::exchange(bytes_, std::string());
}

// A row is its length in bytes, how many values it has, and for each the type, the length and the
// bytes. Its own length is known when the last value is there.
char* Records::begin_value(std::uint32_t size, std::size_t bytes) {
  if (column_ == 0) {
    char* const row = lengthen(bytes_, 8);
    store_word(row + 4, static_cast<std::uint32_t>(columns_.size()));
    row_ = bytes_.size() - 8;
    ++count_;
  }
  char* const place = lengthen(bytes_, 8 + bytes);
  store_word(place, static_cast<std::uint32_t>(columns_[column_]));
  store_word(place + 4, size);
  return place + 8;
}

Records& Records::end_value() {
  if (++column_ < columns_.size()) return *this;
  column_ = 0;
  put_word(bytes_, row_, static_cast<std::uint32_t>(bytes_.size() - row_ - 4));
  return *this;
}

Records& Records::add_number(std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  if (columns_[column_] == Type::small) {
    store_word(begin_value(2, 2), static_cast<std::uint16_t>(bits));
  } else {
    store_word(begin_value(8, 8), bits);
  }
  return end_value();
}

Records& Records::add_bytes(std::string_view bytes) {
  put_bytes(begin_value(static_cast<std::uint32_t>(bytes.size()), bytes.size()), bytes);
  return end_value();
}

Records& Records::add_id(std::uint64_t high, std::uint64_t low) {
  put_id(begin_value(16, 16), high, low);
  return end_value();
}

Records& Records::add_null() {
  begin_value(null_size, 0);
  return end_value();
}

std::string Records::take() {
  put_header(bytes_, false, 0, count_);
  count_ = 0;
  return std::exchange(bytes_, std::string());
}

void set_element_type(std::string& array, std::uint32_t type) { put_word(array, type_at, type); }

Parameters& Parameters::put(std::uint32_t type, Wire value) {
  constexpr std::size_t usual_max = 12;
  if (types.empty()) {
    types.reserve(usual_max);
    values.reserve(usual_max);
  }
  types.push_back(type);
  values.push_back(std::move(value));
  return *this;
}

Parameters& Parameters::add(Records& rows) {
  records.emplace_back(values.size(), rows.name());
  return put(0, rows.take());
}

Parameters& Parameters::add(Column column) { return put(array_of(column.type()), column.take()); }

}  // namespace longshore::postgres
