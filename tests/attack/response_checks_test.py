"""Verifies that the response checks of the attacks detect planted mistakes."""

import json
import unittest

import attacked
import http_test
import schema

PROBLEM = {"status": 404, "code": "NOT_FOUND", "detail": "No such job"}


class ResponseChecks(unittest.TestCase):
    def setUp(self):
        self.attacked = attacked.AttackedServer("setUp")
        self.attacked.requests = 0
        self.attacked.codes = {"NOT_FOUND"}

    def checked(self, status, body="{}", **headers):
        headers = {"Content-Type": "application/problem+json",
                   "X-Content-Type-Options": "nosniff", **headers}
        self.attacked.check_response(attacked.harness.Answer(status, headers, body), "planted")

    def test_a_valid_response_passes(self):
        self.checked(200)
        self.checked(404, json.dumps(PROBLEM))

    def test_a_server_error_fails(self):
        for status in (500, 502, 503, 507, 599):
            with self.assertRaises(AssertionError):
                self.checked(status, json.dumps({**PROBLEM, "status": status}))

    def test_a_refusal_that_is_not_a_problem_document_fails(self):
        for name, value in [("status", 400), ("code", "NO_SUCH_CODE"), ("detail", "")]:
            with self.assertRaises(AssertionError):
                self.checked(404, json.dumps({**PROBLEM, name: value}))
        with self.assertRaises(AssertionError):
            self.checked(404, json.dumps(PROBLEM), **{"Content-Type": "text/html"})

    def test_a_response_that_allows_content_sniffing_fails(self):
        with self.assertRaises(AssertionError):
            self.checked(200, **{"X-Content-Type-Options": ""})


class Tables(unittest.TestCase):
    def test_have_the_expected_size(self):
        for name, least in [("values.txt", 100), ("json.txt", 80), ("paths.txt", 60),
                            ("urls.txt", 50)]:  # fmt: skip
            self.assertGreaterEqual(len(list(attacked.read_table(name))), least, name)
        self.assertGreater(len(list(http_test.read_cases())), 200)

    def test_are_expanded(self):
        self.assertEqual(attacked.expand("a‹3*[›‹x ff 00›b"), b"a[[[\xff\x00b")
        self.assertEqual(http_test.expand(r"\(3,ab)\x7f\0\\"), b"ababab\x7f\0\\")


class Schemas(unittest.TestCase):
    def test_accept_and_reject_values(self):
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
