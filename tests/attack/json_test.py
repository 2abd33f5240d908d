"""Sends every broken body of json.txt to every route that accepts a body."""

import json
import unittest

import attacked


class Json(attacked.AttackedServer):
    def targets(self):
        for method, path, operation in attacked.operations(self.document):
            if "requestBody" in operation:
                path = path.replace("{jobId}", self.victim.running).replace("{queue}", "q")
                yield method, path.replace("{jobType}", "T").replace("{jobKey}", "k")

    def test_each_body_is_refused_on_every_route(self):
        targets = list(self.targets())
        for number, (expected, line) in enumerate(attacked.some(attacked.read_table("json.txt"))):
            body = attacked.expand(line)
            # Each large body goes to three routes, unless run at full size.
            few = len(body) > 4096 and attacked.SIZE != "full"
            turn = number % len(targets)
            chosen = (targets[turn:] + targets[:turn])[: 3 if few else None]
            for method, path in chosen:
                with self.subTest(f"{method} {path} {line[:60]}"):
                    answer = self.attack(method, path, body, self.tokens["admin"])
                    self.assert_refused(answer, expected)

    def assert_refused(self, answer, expected):
        status, _, code = expected.partition("/")
        if status == "4xx":
            self.assertIn(answer.status, (400, 413, 422), answer)
        else:
            self.assertEqual(answer.status, int(status), answer)
        if code:
            self.assertEqual(answer.json["code"], code)
            self.assertIn("offset", answer.json)

    def test_a_body_of_another_content_type_is_refused(self):
        types = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data",
                 "application/xml", "application/json; charset=utf-16", "", "json"]  # fmt: skip
        for method, path in self.targets():
            for media in attacked.some(types):
                with self.subTest(f"{method} {path} {media}"):
                    answer = self.attack(method, path, json.dumps({"a": 1}), self.tokens["admin"],
                                         {"Content-Type": media})
                    self.assertIn(answer.status, (415, 422), answer)


if __name__ == "__main__":
    unittest.main()
