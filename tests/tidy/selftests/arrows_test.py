from selftests.planted import PlantedTest

ARCHITECTURE = """
| folder | charter |
|---|---|
| `src/core/` | Rules. |
| `src/store/memory/` | Remembers. |
| `src/store/sqlite/` | Remembers on disk. |
| `src/engine/` | Decides. |

```arrows
engine   → core                 never a store
store/*  → core
core     → include/longshore
runtime  → engine, store/*, core
```
"""


class Arrows(PlantedTest):
    rule = "arrows"
    always = {"docs/ARCHITECTURE.md": ARCHITECTURE}

    def test_allows_what_the_table_allows(self):
        self.assert_clean(
            {
                "src/core/a.h": '#include <vector>\n#include "longshore/job.h"\n',
                "src/core/a.cpp": '#include "core/a.h"\n',
                "src/engine/b.h": '#include "core/a.h"\n#include "engine/c.h"\n',
                "src/store/memory/m.h": '#include "core/a.h"\n#include <fmt/core.h>\n',
            }
        )

    def test_finds_an_arrow_that_points_up(self):
        self.assert_finds(
            {"src/core/a.h": '#pragma once\n#include "engine/b.h"\n'},
            "src/core/a.h:2",
            "core may use include/longshore and not engine",
        )

    def test_finds_a_store_that_knows_another(self):
        self.assert_finds(
            {"src/store/sqlite/s.cpp": '#include "store/memory/m.h"\n'},
            "store/sqlite may use core and not store/memory",
        )

    def test_finds_an_engine_that_names_a_store(self):
        self.assert_finds(
            {"src/engine/e.cpp": '#  include "store/memory/m.h"\n'},
            "engine may use core and not store/memory",
        )

    def test_finds_a_folder_without_a_charter(self):
        self.assert_finds({"src/gadgets/g.h": "\n"}, "src/gadgets", "without a charter")

    def test_an_arrow_is_not_a_charter(self):
        self.assert_finds({"src/runtime/r.h": "\n"}, "src/runtime", "without a charter")

    def test_finds_a_library_in_core(self):
        self.assert_finds(
            {"src/core/a.cpp": "#include <fmt/core.h>\n"}, "only the standard library", "fmt/core.h"
        )

    def test_finds_an_include_that_names_no_folder(self):
        self.assert_finds({"src/core/a.cpp": '#include "a.h"\n'}, '"core/a.h"')

    def test_finds_that_the_table_is_gone(self):
        self.assert_finds(
            {"docs/ARCHITECTURE.md": "# Empty\n", "src/core/a.h": "\n"}, "no block of arrows"
        )
