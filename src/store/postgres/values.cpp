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
    case Type::text:
      return 1009;
    case Type::real:
      return 1022;
    case Type::uuid:
      return 2951;
  }
  return 0;
}

// Dimensions, whether there are nulls, the type, the length, the first index.
constexpr std::size_t header_bytes = 20;

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
  std::string header;
  append_word(header, std::uint32_t{1});
  append_word(header, std::uint32_t{has_null_});
  append_word(header, static_cast<std::uint32_t>(type_));
  append_word(header, static_cast<std::uint32_t>(count_));
  append_word(header, std::uint32_t{1});
  bytes_.replace(0, header_bytes, header);
  count_ = 0;
  has_null_ = false;
  return std::exchange(bytes_, std::string(header_bytes, '\0'));
}

Parameters& Parameters::add(Column column) {
  types.push_back(array_of(column.type()));
  values.emplace_back(column.take());
  return *this;
}

}  // namespace longshore::postgres
