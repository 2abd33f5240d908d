#include "store/postgres/values.h"

#include <bit>
#include <utility>

namespace longshore::postgres {
namespace {

template <class Word>
void append_word(std::string& bytes, Word word) {
  for (int shift = static_cast<int>(sizeof(Word)) * 8 - 8; shift >= 0; shift -= 8) {
    bytes += static_cast<char>(static_cast<std::uint64_t>(word) >> shift & 0xFF);
  }
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
    case Type::medium:
      return 0;
    case Type::text:
      return 1009;
    case Type::place:
      return 1010;
    case Type::real:
      return 1022;
    case Type::uuid:
      return 2951;
  }
  return 0;
}

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
  std::string text;
  append_word(text, word);
  bytes.replace(at, text.size(), text);
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

void Column::add(std::string_view value) {
  append_word(bytes_, static_cast<std::uint32_t>(value.size()));
  bytes_ += value;
  ++count_;
}

void Column::add_unless_empty(std::string_view value) {
  if (value.empty()) return add_null();
  add(value);
}

void Column::add_wire(const Wire& value) {
  if (value) return add(std::string_view(*value));
  append_word(bytes_, std::uint32_t{0xFFFFFFFF});
  has_null_ = true;
  ++count_;
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
void Records::begin_value(std::size_t size) {
  if (column_ == 0) {
    row_ = bytes_.size();
    append_word(bytes_, std::uint32_t{0});
    append_word(bytes_, static_cast<std::uint32_t>(columns_.size()));
    ++count_;
  }
  append_word(bytes_, static_cast<std::uint32_t>(columns_[column_]));
  append_word(bytes_, static_cast<std::uint32_t>(size));
}

Records& Records::add(std::string_view value) {
  const Type type = columns_[column_];
  if (type == Type::small) value.remove_prefix(6);
  if (type == Type::medium) value.remove_prefix(4);
  begin_value(value.size());
  bytes_ += value;
  if (++column_ < columns_.size()) return *this;
  column_ = 0;
  put_word(bytes_, row_, static_cast<std::uint32_t>(bytes_.size() - row_ - 4));
  return *this;
}

Records& Records::add_null() {
  begin_value(0);
  put_word(bytes_, bytes_.size() - 4, 0xFFFFFFFF);
  if (++column_ < columns_.size()) return *this;
  column_ = 0;
  put_word(bytes_, row_, static_cast<std::uint32_t>(bytes_.size() - row_ - 4));
  return *this;
}

Records& Records::add_unless_empty(std::string_view value) {
  return value.empty() ? add_null() : add(value);
}

void Records::add_wire(const Wire& value) {
  if (value) {
    add(std::string_view(*value));
  } else {
    add_null();
  }
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
