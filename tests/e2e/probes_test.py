"""The probes' results for a server that does not answer. Uses no server."""

import threading
import unittest

import harness
import probes

OVER = threading.Event()
OVER.set()


def measured(probe):
    delays = probes.Delays("due")
    delays.measure_until(OVER, probe)
    return delays


def refuse():
    raise probes.Failed("no lease")


class Silent:
    """A connection without responses."""

    def call(self, *_):
        raise TimeoutError("timed out")


class Broken(Silent):
    def call(self, *_):
        return harness.Answer(500, {}, "{}")


class DelaysOfProbes(unittest.TestCase):
    def test_delays_within_the_bound_are_accepted(self):
        self.assertIsNone(measured(lambda: 0.5).complaint())

    def test_a_long_delay_is_reported(self):
        self.assertEqual(measured(lambda: 2.5).complaint(), "due took 2.50 s; 2.0 s are allowed")

    def test_a_failed_probe_is_reported(self):
        self.assertIn("no lease", measured(refuse).complaint())

    def test_a_failed_probe_after_good_ones_is_reported(self):
        answers = iter([0.1])
        delays = probes.Delays("due")
        delays.measure_until(threading.Event(), lambda: next(answers, None) or refuse())
        self.assertEqual(delays.seconds, [0.1])
        self.assertIn("no lease", delays.complaint())

    def test_a_missing_delay_is_reported(self):
        self.assertIsNotNone(probes.Delays("due").complaint())


class WatchOfAServer(unittest.TestCase):
    def test_a_server_that_does_not_answer(self):
        watch = probes.Watch(lambda _: Silent()).finish()
        self.assertEqual(["timed out" in one for one in watch.complaints()], [True, True])

    def test_a_server_that_answers_with_errors(self):
        watch = probes.Watch(lambda _: Broken()).finish()
        self.assertEqual(["<500" in one for one in watch.complaints()], [True, True])


if __name__ == "__main__":
    unittest.main()
