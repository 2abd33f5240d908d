"""A timeout takes effect within a second of its deadline in every profile."""

import unittest

import profile_case
from profile_case import clock_passes, later, moment

PROFILES = ("native", "basic", "endpoints", "scheduler", "external", "orchestrator")


class Held:
    """A server under a profile, and a job whose worker is heard of until it is refused."""

    def __init__(self, case, profile):
        folder = case.folder / profile
        folder.mkdir()
        case.store = profile_case.stores.fresh(folder)
        self.profile = profile
        self.server = case.serve("--profile", profile)

    def begin(self):
        self.job = self.server.enqueue(timeoutSeconds=6, maxRetries=0)
        (self.lease,) = self.server.lease(waitSeconds=30)

    def beat(self):
        """Whether it may go on."""
        body = {"leaseToken": self.lease["leaseToken"]}
        return self.server.post(f"/jobs/{self.job}/heartbeat", body).status == 200


class Deadlines(profile_case.contract.harness.Case):
    def test_a_timeout_takes_effect_within_a_second_in_every_profile(self):
        all_held = [Held(self, profile) for profile in PROFILES]
        for held in all_held:
            held.begin()
        beating = list(all_held)
        while beating := [held for held in beating if held.beat()]:
            clock_passes(later(0.3))
        for held in all_held:
            with self.subTest(held.profile):
                self.assertEqual(held.server.ended(held.job)["status"], "FAILED")
                got = held.server.get(f"/jobs/{held.job}/details").json
                self.assertEqual((got["error"]["code"], got["crashes"]), ("TIMEOUT", 0))
                took = moment(got["completedAt"]) - moment(held.lease["deadlineAt"])
                self.assertGreaterEqual(took.total_seconds(), 0)
                self.assertLess(took.total_seconds(), 1 + 0.5)  # half of one for a busy machine


if __name__ == "__main__":
    unittest.main()
