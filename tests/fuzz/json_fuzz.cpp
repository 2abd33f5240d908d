// Arbitrary bytes through the JSON scanner. It must agree with Boost.JSON about what is JSON, keep
// its slices within the text, and read back what it writes.
#include <boost/json/src.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/assert.h"
#include "core/json/json_scan.h"
#include "core/json/json_value.h"
#include "core/text/utf8.h"

namespace {

using namespace longshore;

bool is_within(std::string_view part, std::string_view whole) {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

void check_value(const JsonSlice& slice, std::string_view text) {
  LONGSHORE_ASSERT(!slice.text.empty() && is_within(slice.text, text));
  LONGSHORE_ASSERT(scan_json(slice.text).ok(), "a part of JSON is JSON");
  const auto string = json_string(slice);
  LONGSHORE_ASSERT(string.has_value() == (slice.kind == JsonKind::string));
  if (!string) return;
  std::string written;
  append_json_string(written, *string);
  const auto again = scan_json(written);
  LONGSHORE_ASSERT(again.ok() && json_string(*again) == string, "what is written reads the same");
}

// Numbers may be of any size here; Boost.JSON has to find room for them.
bool boost_takes(std::string_view text, bool& only_too_large) {
  boost::json::parse_options options;
  options.max_depth = json_depth_default;
  boost::system::error_code fault;
  boost::json::parse(boost::json::string_view(text.data(), text.size()), fault, {}, options);
  only_too_large = fault == boost::json::error::exponent_overflow;
  return !fault;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto scanned = scan_json(text);
  bool only_too_large = false;
  const bool boost = boost_takes(text, only_too_large);
  LONGSHORE_ASSERT(scanned.ok() == boost || only_too_large, "two readers, one verdict");
  if (!scanned) {
    LONGSHORE_ASSERT(scanned.fault().offset <= size && !scanned.fault().what.empty());
    return 0;
  }
  check_value(*scanned, text);
  std::vector<JsonMember> members;
  if (scan_object(text, members)) {
    for (const JsonMember& member : members) check_value(member.value, text);
  }
  std::vector<JsonSlice> elements;
  if (scan_array(text, elements)) {
    for (const JsonSlice& element : elements) check_value(element, text);
  }
  return 0;
}
