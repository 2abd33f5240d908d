"""Every broken body of json.txt, sent to every route that takes one."""

import json
import unittest

import siege


class Json(siege.Siege):
    def targets(self):
        for method, path, operation in siege.operations(self.document):
            if "requestBody" in operation:
                path = path.replace("{jobId}", self.victim.running).replace("{queue}", "q")
                yield method, path.replace("{jobType}", "T").replace("{jobKey}", "k")

    def test_each_is_refused_on_every_route(self):
        targets = list(self.targets())
        for number, (expected, line) in enumerate(siege.some(siege.read_table("json.txt"))):
            body = siege.spelled_out(line)
            # Large ones go to three routes each, other ones each time, unless there is time.
            few = len(body) > 4096 and siege.SIZE != "full"
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

    def test_a_body_of_another_kind_is_refused(self):
        types = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data",
                 "application/xml", "application/json; charset=utf-16", "", "json"]  # fmt: skip
        for method, path in self.targets():
            for media in siege.some(types):
                with self.subTest(f"{method} {path} {media}"):
                    answer = self.attack(method, path, json.dumps({"a": 1}), self.tokens["admin"],
                                         {"Content-Type": media})
                    self.assertIn(answer.status, (415, 422), answer)


if __name__ == "__main__":
    unittest.main()
