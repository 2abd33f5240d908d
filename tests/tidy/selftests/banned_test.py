from selftests.planted import PlantedTest

WORDS = ["TO" "DO", "FIX" "ME", "X" "XX", "HA" "CK"]


class Banned(PlantedTest):
    rule = "banned"

    def test_finds_each_call_and_names_its_replacement(self):
        cases = {
            "auto t = std::chrono::system_clock::now();": "core/time/clock.h",
            "auto t = std::chrono::steady_clock :: now();": "core/time/clock.h",
            "clock_gettime(CLOCK_REALTIME, &t);": "core/time/clock.h",
            "std::random_device seed;": "core/ids/random.h",
            "int n = rand();": "core/ids/random.h",
            "std::this_thread::sleep_for(1s);": "deadline",
            "usleep(1000);": "deadline",
            "co_await claim({.limit = 2});": "named local",
            "co_await run(\n    [owned] {});": "named local",
        }
        for code, replacement in cases.items():
            with self.subTest(code):
                self.assert_finds(
                    {"src/engine/e.cpp": f"\n{code}\n"}, "src/engine/e.cpp:2", replacement
                )

    def test_tests_may_not_sleep_either(self):
        self.assert_finds({"tests/chaos/c.cpp": "sleep_for(1s);\n"}, "deadline")

    def test_allows_clocks_and_chance_where_they_come_from(self):
        self.assert_clean(
            {
                "src/core/time/clock.cpp": "auto t = std::chrono::system_clock::now();\n",
                "src/core/ids/random.cpp": "std::random_device seed;\n",
                "src/runtime/r.cpp": "auto t = std::chrono::steady_clock::now();\n",
            }
        )

    def test_an_allowed_file_is_not_an_allowed_prefix(self):
        self.assert_finds({"src/core/clockwork.cpp": "steady_clock::now();\n"}, "core/time/clock.h")

    def test_ignores_comments_text_and_longer_names(self):
        self.assert_clean(
            {
                "src/core/a.cpp": "// never system_clock::now()\n/* sleep_for */\n"
                'auto s = "random_device";\nauto r = R"(rand())";\n'
                "int operand(int brand);\nint x = operand(1'000);\n"
            }
        )

    def test_awaiting_a_named_local_is_fine(self):
        self.assert_clean({"src/http/h.cpp": "co_await claim(request);\nint a[] = {1};\n"})

    def test_finds_asio_outside_http_and_client(self):
        for header in ["boost/asio.hpp", "boost/asio/ip/tcp.hpp", "boost/beast/core.hpp"]:
            with self.subTest(header):
                include = f"#include <{header}>\n"
                self.assert_finds({"src/server/s.cpp": include}, "src/http and src/client")
                self.assert_clean({"src/http/h.cpp": include, "src/client/c.h": include})

    def test_finds_each_word_for_unfinished_work(self):
        for word in WORDS:
            for path in ["src/core/a.cpp", "docs/a.md", "cmake/a.cmake", "dev"]:
                with self.subTest(word=word, path=path):
                    self.assert_finds({path: f"\n\n# {word}: later\n"}, f"{path}:3", word)

    def test_words_inside_words_are_fine(self):
        self.assert_clean({"docs/a.md": "HACKATHON, XXXL\n"})
