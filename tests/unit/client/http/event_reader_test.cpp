#include "client/http/event_reader.h"

#include <gtest/gtest.h>

#include <vector>

namespace longshore {
namespace {

using Events = std::vector<std::string>;

TEST(EventReader, ReadsEventsInPiecesOfAnySize) {
  const std::string text =
      "event: transition\nid: 1\ndata: {\"to\":\"CREATED\"}\n\n: alive\n\nid: 2\ndata: 2\n\n";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    Events events;
    EventReader reader([&events](std::string_view id, std::string_view data) {
      events.push_back(std::string(id) + " " + std::string(data));
    });
    for (std::size_t at = 0; at < text.size(); at += size) reader.read(text.substr(at, size));
    EXPECT_EQ(events, (Events{"1 {\"to\":\"CREATED\"}", "2 2"})) << "pieces of " << size;
  }
}

TEST(EventReader, DropsAPartialEventWhenANewResponseBegins) {
  Events events;
  EventReader reader(
      [&events](std::string_view, std::string_view data) { events.emplace_back(data); });
  reader.read("id: 1\ndata: ha");
  reader.restart();
  reader.read("id: 1\ndata: half\n\n");
  EXPECT_EQ(events, Events{"half"});
}

}  // namespace
}  // namespace longshore
