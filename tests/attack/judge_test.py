"""What judges the server's answers finds planted mistakes: a check that cannot fail is none."""

import json
import unittest

import http_test
import schema
import siege

PROBLEM = {"status": 404, "code": "NOT_FOUND", "detail": "No such job"}


class Judge(unittest.TestCase):
    def setUp(self):
        self.siege = siege.Siege("setUp")
        self.siege.requests = 0
        self.siege.codes = {"NOT_FOUND"}

    def judged(self, status, body="{}", **headers):
        headers = {"Content-Type": "application/problem+json",
                   "X-Content-Type-Options": "nosniff", **headers}
        self.siege.judge(siege.harness.Answer(status, headers, body), "planted")

    def test_a_proper_answer_passes(self):
        self.judged(200)
        self.judged(404, json.dumps(PROBLEM))

    def test_a_fault_of_the_server_does_not(self):
        for status in (500, 502, 503, 507, 599):
            with self.assertRaises(AssertionError):
                self.judged(status, json.dumps({**PROBLEM, "status": status}))

    def test_a_refusal_that_is_no_problem_does_not(self):
        for name, value in [("status", 400), ("code", "NO_SUCH_CODE"), ("detail", "")]:
            with self.assertRaises(AssertionError):
                self.judged(404, json.dumps({**PROBLEM, name: value}))
        with self.assertRaises(AssertionError):
            self.judged(404, json.dumps(PROBLEM), **{"Content-Type": "text/html"})

    def test_an_answer_that_a_browser_may_guess_at_does_not(self):
        with self.assertRaises(AssertionError):
            self.judged(200, **{"X-Content-Type-Options": ""})


class Tables(unittest.TestCase):
    def test_hold_what_they_should(self):
        for name, least in [("values.txt", 100), ("json.txt", 80), ("paths.txt", 60),
                            ("urls.txt", 50)]:  # fmt: skip
            self.assertGreaterEqual(len(list(siege.read_table(name))), least, name)
        self.assertGreater(len(list(http_test.read_cases())), 200)

    def test_are_spelled_out(self):
        self.assertEqual(siege.spelled_out("a‹3*[›‹x ff 00›b"), b"a[[[\xff\x00b")
        self.assertEqual(http_test.spelled_out(r"\(3,ab)\x7f\0\\"), b"ababab\x7f\0\\")


class Schemas(unittest.TestCase):
    def test_tell_what_fits(self):
        document = {"components": {"schemas": {"Name": {"type": "string", "pattern": "^a{1,2}$"}}}}
        schemas = schema.Schemas(document)
        body = {"type": "object", "additionalProperties": False, "required": ["n"],
                "properties": {"n": {"$ref": "#/components/schemas/Name"},
                               "i": {"type": "integer", "minimum": 1, "maximum": 2},
                               "l": {"type": "array", "maxItems": 1, "items": {"const": True}}}}
        self.assertTrue(all(schemas.fits(huge, {}) for huge in (1e308, float("inf"), -1e308)))
        self.assertFalse(schemas.fits(0, {"exclusiveMinimum": 0}))
        for good in ({"n": "a"}, {"n": "aa", "i": 2, "l": [True]}, {"n": "a", "i": 1.0}):
            self.assertTrue(schemas.fits(good, body), good)
        for bad in ({}, [], {"n": "aaa"}, {"n": "a\n"}, {"n": 1}, {"n": "a", "i": 3},
                    {"n": "a", "i": True}, {"n": "a", "l": [1]}, {"n": "a", "l": [True, True]},
                    {"n": "a", "x": 1}, {"n": "a", "i": float("inf")}):
            self.assertFalse(schemas.fits(bad, body), bad)


if __name__ == "__main__":
    unittest.main()
