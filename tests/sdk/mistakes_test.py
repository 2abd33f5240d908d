"""Faulty handlers in both SDKs: each job ends with its first attempt and a useful error, and the
worker continues with its only slot."""

import unittest

import sdk

# The mistake, and the expected error code and part of the error message.
FAILURES = {
    "strange details": ("STRANGE", "no"),
    "large details": ("LARGE", "no"),
    "an error as the message": ("WRAPPED", "inner"),
    "a reserved code": ("BAD_RESULT", "no"),
    "a large message": (("ValueError", "RangeError"), "xxx"),
    "a large result": ("BAD_RESULT", "at most 1048576 bytes"),
    "a huge result": ("BAD_RESULT", "too large"),
    "no text": (("NoText", "Error"), ""),
    "no error": (("CancelledError", "Error"), ""),
    "a returned error": (("ValueError", "RangeError"), "returned"),
    "progress": (("ValueError", "RangeError"), "0 to 100"),
    "a strange checkpoint": ("TypeError", ""),
}


class Mistakes:
    options = {"concurrency": 1}

    def setUp(self):
        super().setUp()
        self.server = self.serve()
        self.worker = self.start(self.server.url, self.options)

    def test_every_kind_of_failure_is_reported(self):
        for mistake, (codes, message) in FAILURES.items():
            with self.subTest(mistake):
                job = self.server.enqueue("MISTAKE", payload=mistake, maxRetries=0)
                self.assertEqual(self.server.ended(job)["status"], "FAILED", self.worker.lines)
                details = self.details(self.server, job)
                self.assertEqual((details["attempt"], details["crashes"]), (1, 0))
                self.assertIn(details["error"]["code"], (codes,) if codes is str(codes) else codes)
                self.assertIn(message, details["error"]["message"])

    def test_a_large_or_invalid_log_does_not_affect_the_result(self):
        logs = {
            "a large log": 64 * 1024,
            "half a character": len("a?b\n".encode()),
            "a number in the log": len("42\n"),
        }
        for mistake, least in logs.items():
            with self.subTest(mistake):
                job = self.server.enqueue("MISTAKE", payload=mistake)
                self.assertEqual(self.server.ended(job)["status"], "COMPLETED", self.worker.lines)
                self.assertEqual(sdk.result_of(self.server, job), "logged")
                (log,) = self.server.get(f"/jobs/{job}/logs").json["logs"]
                self.assertGreaterEqual(len(log["text"].encode()), least)

    def test_a_checkpoint_is_a_snapshot_of_the_saved_value(self):
        saved = {"a checkpoint that changes": {"step": 1}, "a large checkpoint": None}
        for mistake, checkpoint in saved.items():
            with self.subTest(mistake):
                job = self.server.enqueue("MISTAKE", payload=mistake)
                self.assertEqual(self.server.ended(job)["status"], "COMPLETED", self.worker.lines)
                self.assertEqual(sdk.result_of(self.server, job), checkpoint)


class MistakesInBatches(Mistakes):
    options = {"concurrency": 1, "batchSettle": True}


sdk.both(Mistakes, globals())
sdk.both(MistakesInBatches, globals())

if __name__ == "__main__":
    unittest.main()
