"""Four servers and 32 worker slots on one store, with failures, cancels and two kills."""

import unittest

import fleet
import harness


class Servers(harness.Case):
    def test_keep_every_promise_while_some_are_killed(self):
        valid, words = fleet.Fleet(self.store, self.folder, jobs=5000).run(kills=2)
        self.assertTrue(valid, words)
        print(words)


if __name__ == "__main__":
    unittest.main()
