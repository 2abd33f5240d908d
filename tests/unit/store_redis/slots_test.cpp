#include "store/redis/slots.h"

#include <gtest/gtest.h>

namespace longshore::redis {
namespace {

Reply number(std::int64_t value) { return {.kind = Reply::Kind::integer, .integer = value}; }
Reply text(std::string value) { return {.kind = Reply::Kind::text, .text = std::move(value)}; }
Reply array(std::vector<Reply> items) {
  return {.kind = Reply::Kind::array, .items = std::move(items)};
}
Reply error(std::string value) { return {.kind = Reply::Kind::error, .text = std::move(value)}; }

const Address asked{.host = "asked", .port = 1};

TEST(RedisSlots, AreThoseOfTheSpecification) {
  EXPECT_EQ(slot_of("123456789"), 0x31c3 % slot_count);
  EXPECT_EQ(slot_of("foo"), 12182);
  EXPECT_EQ(slot_of(""), 0);
}

TEST(RedisSlots, MapReadsPrimariesAndReplicasAndFindsHoles) {
  const auto map = SlotMap::read(
      array({array({number(0), number(9), array({text("a"), number(7)}),
                    array({text("r"), number(8)})}),
             array({number(11), number(slot_count - 1), array({Reply(), number(9)})})}),
      asked);
  ASSERT_TRUE(map.ok());
  EXPECT_EQ(*map->owner(9), (Address{"a", 7}));
  EXPECT_EQ(map->owner(10), nullptr);
  EXPECT_EQ(*map->owner(11), (Address{"asked", 9})) << "who leaves its host out means itself";
  EXPECT_FALSE(map->whole());
  EXPECT_EQ(map->nodes(), std::vector<Address>({{"a", 7}, {"asked", 9}, {"r", 8}}));
  const SlotMap filled = map->with(10, {"new", 3});
  EXPECT_TRUE(filled.whole());
  EXPECT_EQ(*filled.owner(10), (Address{"new", 3}));
}

TEST(RedisSlots, MapRefusesWhatIsNone) {
  for (const Reply& bad :
       {Reply(), array({text("x")}), array({array({number(0), number(1)})}),
        array({array({number(5), number(1), array({text("a"), number(7)})})}),
        array({array({number(0), number(slot_count), array({text("a"), number(7)})})}),
        array({array({number(0), number(1), array({text("a")})})})}) {
    EXPECT_FALSE(SlotMap::read(bad, asked).ok());
  }
}

TEST(RedisSlots, DirectionsAreReadAndNonsenseIsNot) {
  const auto moved = read_direction(error("MOVED 3999 127.0.0.1:6381"), asked);
  ASSERT_TRUE(moved.ok());
  EXPECT_EQ(moved->slot, 3999);
  EXPECT_EQ(moved->to, (Address{"127.0.0.1", 6381}));
  EXPECT_EQ(read_direction(error("ASK 1 ::1:6381"), asked)->to, (Address{"::1", 6381}));
  EXPECT_EQ(read_direction(error("MOVED 1 :6381"), asked)->to, (Address{"asked", 6381}));
  for (const char* bad : {"MOVED", "MOVED 1", "MOVED x a:1", "MOVED 1 a", "MOVED 99999 a:1",
                          "MOVED 1 a:b", "MOVED 1:2 a"}) {
    SCOPED_TRACE(bad);
    EXPECT_FALSE(read_direction(error(bad), asked).ok());
  }
}

}  // namespace
}  // namespace longshore::redis
