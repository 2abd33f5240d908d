#include "cli/terminal/top_view.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace longshore {
namespace {

constexpr Screen screen_of_80 = {.is_terminal = true, .columns = 80, .rows = 8, .colours = false};

TopView view_of(int queues) {
  std::vector<QueueRow> rows;
  for (int i = 0; i < queues; ++i) {
    rows.push_back({.name = "q" + std::to_string(i), .queued = i, .dead = queues - i});
  }
  TopView view(TopOrder::queued, "");
  view.update(std::move(rows), "headline");
  return view;
}

KeyPress letter(char which) { return {.key = Key::letter, .letter = which}; }

TEST(TopView, KeepsTheSelectionWhenRowsAreSorted) {
  TopView view = view_of(3);
  EXPECT_EQ(view.selected()->name, "q2");
  view.press({.key = Key::down});
  EXPECT_EQ(view.selected()->name, "q1");
  view.press(letter('s'));  // by running: all are equal, so by name
  view.press(letter('s'));  // by dead
  EXPECT_EQ(view.selected()->name, "q1");
  view.press(letter('k'));
  view.press(letter('k'));
  EXPECT_EQ(view.selected()->name, "q0");
}

TEST(TopView, FiltersWhileTyping) {
  TopView view = view_of(12);
  for (const char c : std::string("/q1")) EXPECT_EQ(view.press(letter(c)), TopAction::nothing);
  EXPECT_EQ(view.selected()->name, "q11");
  view.press({.key = Key::backspace});
  view.press({.key = Key::backspace});
  view.press(letter('q'));  // a letter now, not the command to quit
  view.press({.key = Key::enter});
  EXPECT_EQ(view.press(letter('q')), TopAction::quit);
  for (const char c : std::string("/zz")) view.press(letter(c));
  EXPECT_EQ(view.selected(), nullptr);
  view.press({.key = Key::escape});
  EXPECT_NE(view.selected(), nullptr);
}

TEST(TopView, ScrollsToTheSelectedQueue) {
  TopView view = view_of(30);
  for (int i = 0; i < 40; ++i) {
    const std::string text = view.text(screen_of_80);
    EXPECT_LE(std::ranges::count(text, '\n') + 1, 8);
    EXPECT_NE(text.find("> " + view.selected()->name + " "), std::string::npos) << text;
    view.press({.key = Key::down});
  }
}

TEST(TopView, ShowsAnErrorUntilTheNextUpdate) {
  TopView view = view_of(1);
  view.show_error("no answer");
  EXPECT_NE(view.text(screen_of_80).find("no answer"), std::string::npos);
  view.update({}, "headline");
  EXPECT_EQ(view.text(screen_of_80).find("no answer"), std::string::npos);
}

}  // namespace
}  // namespace longshore
