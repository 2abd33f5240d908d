#include "store/postgres/values.h"

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

std::string header_of(bool has_null, std::uint32_t type, std::uint32_t count) {
  std::string header;
  append_word(header, std::uint32_t{1});
  append_word(header, std::uint32_t{has_null});
  append_word(header, type);
  append_word(header, count);
  append_word(header, std::uint32_t{1});
  return header;
}

void put_word(std::string& bytes, std::size_t at, std::uint32_t word) {
  store_word(bytes.data() + at, word);
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

Column::Column(Type type) : type_(type), bytes_(header_bytes, '\0') {}

Column& Column::add_number(std::int64_t number) {
  append_word(bytes_, std::uint32_t{sizeof(number)});
  append_word(bytes_, static_cast<std::uint64_t>(number));
  ++count_;
  return *this;
}

Column& Column::add_bytes(std::string_view bytes) {
  append_word(bytes_, static_cast<std::uint32_t>(bytes.size()));
  bytes_ += bytes;
  ++count_;
  return *this;
}

Column& Column::add_id(std::uint64_t high, std::uint64_t low) {
  append_word(bytes_, std::uint32_t{sizeof(high) + sizeof(low)});
  append_word(bytes_, high);
  append_word(bytes_, low);
  ++count_;
  return *this;
}

Column& Column::add_null() {
  append_word(bytes_, null_size);
  has_null_ = true;
  ++count_;
  return *this;
}

std::string Column::take() {
  bytes_.replace(
      0, header_bytes,
      header_of(has_null_, static_cast<std::uint32_t>(type_), static_cast<std::uint32_t>(count_)));
  count_ = 0;
  has_null_ = false;
  return std::exchange(bytes_, std::string(header_bytes, '\0'));
}

Records::Records(const char* name, std::vector<Type> columns)
    : name_(name), columns_(std::move(columns)), bytes_(header_bytes, '\0') {}

// A row is its length in bytes, how many values it has, and for each the type, the length and the
// bytes. Its own length is known when the last value is there.
void Records::begin_value(std::uint32_t size) {
  if (column_ == 0) {
    row_ = bytes_.size();
    append_word(bytes_, std::uint32_t{0});
    append_word(bytes_, static_cast<std::uint32_t>(columns_.size()));
    ++count_;
  }
  std::array<char, 8> raw;
  store_word(raw.data(), static_cast<std::uint32_t>(columns_[column_]));
  store_word(raw.data() + 4, size);
  bytes_.append(raw.data(), raw.size());
}

Records& Records::end_value() {
  if (++column_ < columns_.size()) return *this;
  column_ = 0;
  put_word(bytes_, row_, static_cast<std::uint32_t>(bytes_.size() - row_ - 4));
  return *this;
}

Records& Records::add_number(std::int64_t number) {
  const Type type = columns_[column_];
  const auto bits = static_cast<std::uint64_t>(number);
  if (type == Type::small) {
    begin_value(2);
    append_word(bytes_, static_cast<std::uint16_t>(bits));
  } else {
    begin_value(8);
    append_word(bytes_, bits);
  }
  return end_value();
}

Records& Records::add_bytes(std::string_view bytes) {
  begin_value(static_cast<std::uint32_t>(bytes.size()));
  bytes_ += bytes;
  return end_value();
}

Records& Records::add_id(std::uint64_t high, std::uint64_t low) {
  begin_value(16);
  append_word(bytes_, high);
  append_word(bytes_, low);
  return end_value();
}

Records& Records::add_null() {
  begin_value(null_size);
  return end_value();
}

std::string Records::take() {
  bytes_.replace(0, header_bytes, header_of(false, 0, count_));
  count_ = 0;
  return std::exchange(bytes_, std::string(header_bytes, '\0'));
}

void set_element_type(std::string& array, std::uint32_t type) { put_word(array, type_at, type); }

Parameters& Parameters::add(Records& rows) {
  records.emplace_back(values.size(), rows.name());
  types.push_back(0);
  values.emplace_back(rows.take());
  return *this;
}

Parameters& Parameters::add(Column column) {
  types.push_back(array_of(column.type()));
  values.emplace_back(column.take());
  return *this;
}

}  // namespace longshore::postgres
