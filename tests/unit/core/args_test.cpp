#include "longshore/args.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <unordered_map>

namespace longshore {
namespace {

enum class Level : std::uint8_t { low = 1, high = 9 };

enum class Colour { red, green, blue };
constexpr auto enum_names(Colour) {
  return std::array{std::pair{Colour::red, std::string_view("red")},
                    std::pair{Colour::green, std::string_view("green")}};
}

struct Address {
  std::string street = "unknown";
  std::optional<int> number;
  LONGSHORE_ARGS(street, number)
  friend bool operator==(const Address&, const Address&) = default;
};

struct Everything {
  std::string text;
  bool flag = false;
  std::int8_t tiny = 0;
  std::uint8_t small = 7;
  std::int64_t large = 0;
  std::uint64_t huge = 0;
  double real = 0;
  float single = 0;
  std::optional<std::string> maybe = "set";
  std::vector<std::string> list;
  std::vector<bool> bits;
  std::map<std::string, std::vector<int>> table;
  std::unordered_map<std::string, Address> places;
  Address home;
  Level level = Level::low;
  Colour colour = Colour::red;
  RawJson raw;
  LONGSHORE_ARGS(text, flag, tiny, small, large, huge, real, single, maybe, list, bits, table,
                 places, home, level, colour, raw)
  friend bool operator==(const Everything&, const Everything&) = default;
};

struct NoArguments {
  static constexpr std::string_view job_type = "nothing";
  LONGSHORE_ARGS()
};
static_assert(JobArgs<NoArguments>);
static_assert(HasArgs<Address> && !JobArgs<Address> && !HasArgs<std::string>);

Everything something_of_everything() {
  return {.text = "gr\"ün\n",
          .flag = true,
          .tiny = -128,
          .small = 255,
          .large = std::numeric_limits<std::int64_t>::min(),
          .huge = std::numeric_limits<std::uint64_t>::max(),
          .real = 0.1,
          .single = 0.1F,
          .maybe = std::nullopt,
          .list = {"a", ""},
          .bits = {true, false},
          .table = {{"primes", {2, 3}}, {"", {}}},
          .places = {{"here", {.street = "Main", .number = 4}}},
          .home = {.street = "Side"},
          .level = Level::high,
          .colour = Colour::green,
          .raw = {R"({"any":[1,{}]})"}};
}

TEST(Args, ReadBackWhatTheyWrote) {
  const Everything written = something_of_everything();
  const std::string json = to_json(written).value();
  const Result<Everything> read = from_json<Everything>(json);
  ASSERT_TRUE(read.ok()) << read.error().message << " in " << json;
  EXPECT_TRUE(*read == written) << json;
}

TEST(Args, AreWrittenInTheOrderOfTheMacro) {
  EXPECT_EQ(to_json(Address{"Main", 4}).value(), R"({"street":"Main","number":4})");
  EXPECT_EQ(to_json(Address{}).value(), R"({"street":"unknown","number":null})");
  EXPECT_EQ(to_json(NoArguments{}).value(), "{}");
  EXPECT_EQ(to_json(std::vector<double>{0.5, 3, 1e300}).value(), "[0.5,3,1e+300]");
}

TEST(Args, PassOverUnknownNamesAndLeaveMissingOnesAsTheyAre) {
  const Everything read =
      from_json<Everything>(R"({"unknown":{"text":1},"home":{"other":[]}})").value();
  EXPECT_TRUE(read == Everything());
  EXPECT_TRUE(from_json<NoArguments>(R"({"a":1})").ok());
}

TEST(Args, TakeNamesThatAreWrittenWithEscapes) {
  EXPECT_EQ(from_json<Address>(R"({"str\u0065et":"Main"})")->street, "Main");
}

TEST(Args, TakeWholeNumbersHoweverTheyAreWritten) {
  EXPECT_EQ(from_json<int>("3.0").value(), 3);
  EXPECT_EQ(from_json<int>("30e-1").value(), 3);
  EXPECT_EQ(from_json<std::uint64_t>("18446744073709551615").value(), 18446744073709551615ULL);
}

TEST(Args, NameThePlaceOfWhatDoesNotFit) {
  const struct {
    std::string json;
    std::string fault;
  } cases[] = {
      {"[]", "the value must be an object, but is an array"},
      {"null", "the value must be an object, but is null"},
      {"{", "the value is not JSON"},
      {R"({"text":1})", "text must be a string, but is a number"},
      {R"({"text":null})", "text must be a string, but is null"},
      {R"({"flag":"yes"})", "flag must be true or false, but is a string"},
      {R"({"tiny":128})", "tiny must be a whole number from -128 to 127, but is 128"},
      {R"({"tiny":"1"})", "tiny must be a whole number, but is a string"},
      {R"({"small":-1})", "small must be a whole number from 0 to 255, but is -1"},
      {R"({"small":1.5})", "small must be a whole number from 0 to 255, but is 1.5"},
      {R"({"large":9223372036854775808})", "large must be a whole number from"},
      {R"({"huge":18446744073709551616})", "huge must be a whole number from 0"},
      {R"({"real":"1"})", "real must be a number that fits, but is a string"},
      {R"({"real":1e999})", "real must be a number that fits"},
      {R"({"single":1e39})", "single must be a number that fits, but is 1e39"},
      {R"({"single":-1e39})", "single must be a number that fits, but is -1e39"},
      {R"({"maybe":1})", "maybe must be a string, but is a number"},
      {R"({"list":{}})", "list must be an array, but is an object"},
      {R"({"list":["a","b",3]})", "list[2] must be a string, but is a number"},
      {R"({"table":{"a":[1,"x"]}})", "table.a[1] must be a whole number, but is a string"},
      {R"({"places":{"x":{"number":[]}}})", "places.x.number must be a whole number, but is an"},
      {R"({"home":{"street":true}})", "home.street must be a string, but is true or false"},
      {R"({"home":{"street":"a","street":"b"}})", "home cannot be read"},
      {R"({"level":256})", "level must be a whole number from 0 to 255, but is 256"},
      {R"({"colour":"pink"})", "colour must be one of red, green, but is \"pink\""},
      {R"({"colour":0})", "colour must be a string, but is a number"},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.json);
    const Result<Everything> read = from_json<Everything>(one.json);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().code, Errc::invalid);
    EXPECT_EQ(read.error().message.substr(0, one.fault.size()), one.fault);
  }
}

TEST(Args, RefuseToWriteWhatJsonCannotRepresent) {
  Everything value;
  const auto fault = [&] { return to_json(value).error().message; };
  value.text = "\xFF";
  EXPECT_EQ(fault(), "text is not UTF-8");
  value = {};
  value.real = std::nan("");
  EXPECT_EQ(fault(), "real is not a finite number");
  value = {};
  value.single = INFINITY;
  EXPECT_EQ(fault(), "single is not a finite number");
  value = {};
  value.raw.text = "{";
  EXPECT_EQ(fault().substr(0, 15), "raw is not JSON");
  value = {};
  value.colour = Colour::blue;
  EXPECT_EQ(fault(), "colour has no name in enum_names");
}

}  // namespace
}  // namespace longshore
