// Values as PostgreSQL sends and takes them, in binary: nothing is escaped, and bytes stay bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longshore/id.h"
#include "longshore/time.h"

namespace longshore::postgres {

// The types that Longshore uses, by PostgreSQL's own numbers.
enum class Type : std::uint32_t {
  boolean = 16,
  bytes = 17,
  integer = 20,
  small = 21,  // of two bytes; in Records alone
  text = 25,
  place = 27,  // of a row in its table
  uuid = 2950,
};

// Where a row is in its table, as the server writes it. It stays there as long as this transaction
// has it locked and does not write it.
struct RowPlace {
  std::array<char, 6> bytes;
};

// One value of any of the types, as bytes; none is NULL.
using Wire = std::optional<std::string>;

Wire wire(bool value);
Wire wire(std::int64_t value);
inline Wire wire(int value) { return wire(std::int64_t{value}); }
Wire wire(double value);
Wire wire(Instant value);
Wire wire(Duration value);
inline Wire wire(std::string_view value) { return std::string(value); }
inline Wire wire(const std::string& value) { return value; }
template <class Tag>
Wire wire(const Id<Tag>& value);
template <class T>
Wire wire(const std::optional<T>& value) {
  return value ? wire(*value) : std::nullopt;
}

// Many values of one statement, written one behind the other into one text. Whoever derives says
// what stands around a value.
template <class Self>
class Values {
 public:
  Self& add(std::int64_t number) { return self().add_number(number); }
  Self& add(int number) { return add(std::int64_t{number}); }
  Self& add(Instant at) { return add(at.count()); }
  Self& add(Duration length) { return add(length.count()); }
  Self& add(bool value) { return self().add_bytes(std::string_view(value ? "\1" : "\0", 1)); }
  Self& add(std::string_view bytes) { return self().add_bytes(bytes); }
  Self& add(const std::string& bytes) { return self().add_bytes(bytes); }
  Self& add(const RowPlace& place) {
    return self().add_bytes({place.bytes.data(), place.bytes.size()});
  }
  template <class Tag>
  Self& add(const Id<Tag>& id) {
    return self().add_id(id.high, id.low);
  }
  template <class T>
  Self& add(const std::optional<T>& value) {
    return value ? add(*value) : self().add_null();
  }
  Self& add_unless_empty(std::string_view value) {
    return value.empty() ? self().add_null() : self().add_bytes(value);
  }

 private:
  Self& self() { return static_cast<Self&>(*this); }
};

// A column of values, sent as one array. Many rows then travel in one statement. One that stays
// empty costs nothing.
class Column : public Values<Column> {
 public:
  explicit Column(Type type) : type_(type) {}

  Column& add_number(std::int64_t number);
  Column& add_bytes(std::string_view bytes);
  Column& add_id(std::uint64_t high, std::uint64_t low);
  Column& add_null();

  std::int32_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  // The whole array; the column is empty afterwards.
  std::string take();
  Type type() const { return type_; }

 private:
  // Begins a value of so many bytes, and says where they go.
  char* begin_value(std::size_t size);

  Type type_;
  std::int32_t count_ = 0;
  bool has_null_ = false;
  std::string bytes_;  // from the header on, which take() fills in
};

// Rows of a composite type, sent as one array. A row is added value by value, in the order of the
// type's columns.
class Records : public Values<Records> {
 public:
  // `name` is the type's, such as "job_row". Both live as long as the program.
  Records(const char* name, std::span<const Type> columns) : name_(name), columns_(columns) {}

  Records& add_number(std::int64_t number);
  Records& add_bytes(std::string_view bytes);
  Records& add_id(std::uint64_t high, std::uint64_t low);
  Records& add_null();

  bool empty() const { return count_ == 0; }
  const char* name() const { return name_; }
  // The whole array, but for the number of its type, which only the database knows.
  std::string take();

 private:
  // Begins a value whose length is told as `size`, and says where so many bytes of it go.
  char* begin_value(std::uint32_t size, std::size_t bytes);
  Records& end_value();

  const char* name_;
  std::span<const Type> columns_;
  std::size_t column_ = 0;  // the next one
  std::size_t row_ = 0;     // where the row under way begins
  std::uint32_t count_ = 0;
  std::string bytes_;  // from the header on, which take() fills in
};

// What is sent along with a statement, in the order of $1, $2, ...
struct Parameters {
  template <class T>
  Parameters& add(Type type, const T& value) {
    return put(static_cast<std::uint32_t>(type), wire(value));
  }
  Parameters& add(const std::string& bytes) { return add(Type::bytes, bytes); }
  Parameters& add(std::int64_t number) { return add(Type::integer, number); }
  Parameters& add(int number) { return add(Type::integer, number); }
  Parameters& add(Instant at) { return add(Type::integer, at); }
  Parameters& add(bool value) { return add(Type::boolean, value); }
  Parameters& add(const std::optional<Instant>& at) { return add(Type::integer, at); }
  Parameters& add(const std::optional<Duration>& length) { return add(Type::integer, length); }
  template <class Tag>
  Parameters& add(const Id<Tag>& id) {
    return add(Type::uuid, id);
  }
  template <class Tag>
  Parameters& add(const std::optional<Id<Tag>>& id) {
    return add(Type::uuid, id);
  }
  Parameters& add(Column column);
  Parameters& add(Records& records);  // which are empty afterwards

  std::vector<std::uint32_t> types;
  std::vector<Wire> values;
  // Which values are arrays of a type that has to be looked up, and its name.
  std::vector<std::pair<std::size_t, const char*>> records;

 private:
  Parameters& put(std::uint32_t type, Wire value);
};

// Where an array names the type of its elements.
void set_element_type(std::string& array, std::uint32_t type);

// A column of ids, which is what most statements ask for.
template <class Ids>
Column ids_column(const Ids& ids) {
  Column column(Type::uuid);
  for (const auto& id : ids) column.add(id);
  return column;
}

}  // namespace longshore::postgres
