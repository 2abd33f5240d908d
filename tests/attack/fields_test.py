"""Every field of every route with values of another type, out of range, too long, unknown, or with
special characters of SQL, Lua, format strings, HTML, logs and headers. Values that the document
forbids must be refused; allowed ones must be stored as plain text."""

import copy
import json
import re
import unittest
from urllib.parse import quote_from_bytes

import attacked
import schema

PLACE = "@PLACE@"
HEADERS = ("Idempotency-Key", "Last-Event-ID", "Prefer", "traceparent", "X-Request-Id",
           "If-None-Match", "Accept", "Content-Type", "Content-Encoding", "Origin", "Cookie",
           "X-Forwarded-Proto", "X-Forwarded-Host")  # fmt: skip


class Values:
    """The table of values; `few` returns one per section, different ones for each field."""

    def __init__(self, random):
        self._random = random
        self._sections = {}
        for section, line in attacked.read_table("values.txt"):
            self._sections.setdefault(section, []).append(attacked.expand(line))

    def few(self):
        if attacked.SIZE == "full":
            return [value for values in self._sections.values() for value in values]
        return [self._random.choice(values) for values in self._sections.values()]


class Fields(attacked.AttackedServer):
    def setUp(self):
        super().setUp()
        self.schemas = schema.Schemas(self.document)
        self.values = Values(self.random)
        made = self.attack("POST", "/jobs", {"jobType": "T", "jobKey": "k"},
                           self.tokens["producer"])
        self.job = made.json["jobId"]

    def path(self, path):
        return (path.replace("{jobId}", self.job).replace("{jobType}", "T")
                .replace("{jobKey}", "k").replace("{queue}", "q"))  # fmt: skip

    def bodies(self):
        """(method, path, schema of the body, a body that fits) of each route that takes one."""
        table = json.loads((attacked.CORPUS / "requests.json").read_text(encoding="utf-8"))
        for method, path, operation in attacked.operations(self.document):
            if "requestBody" not in operation:
                continue
            content = operation["requestBody"]["content"]["application/json"]
            base = json.dumps(table.get(f"{method} {path}", {}))
            base = base.replace("{job}", self.job).replace("{stale}", "1." + "0" * 32)
            yield method, path, content["schema"], json.loads(base)

    def test_bodies(self):
        for method, path, body_schema, base in self.bodies():
            for place, field in attacked.some(self.schemas.fields(body_schema)):
                for value in self.values.few():
                    self.send(method, path, body_schema, base, place, value)
            for value in self.values.few():
                self.send(method, path, body_schema, base, ("nosuchField",), value)

    def send(self, method, path, body_schema, base, place, value):
        body = copy.deepcopy(base)
        put(body, place, PLACE)
        raw = json.dumps(body).encode().replace(f'"{PLACE}"'.encode(), value)
        whole = json.loads(raw)
        fits = self.schemas.fits(whole, body_schema)
        if fits and place[-1] in ("waitSeconds", "dryRun"):
            return  # would wait or take effect
        with self.subTest(f"{method} {path} {place} {value[:60]}"):
            answer = self.attack(method, self.path(path), raw, self.tokens["admin"])
            if not fits:
                self.assertTrue(is_refused(answer), f"taken: {raw[:300]}")

    def test_parameters(self):
        for method, path, operation in attacked.operations(self.document):
            names = [p["name"] for p in self.parameters(operation)] + ["nosuch"]
            for name in attacked.some(names):
                for value in self.values.few():
                    text = quote_from_bytes(plain(value)[:2000], safe="")
                    if name == "waitSeconds" and re.fullmatch(r"[0-9.]+", text):
                        continue
                    target = self.path(path).replace(f"{{{name}}}", text)
                    if f"{{{name}}}" not in path:
                        target += f"?{name}={text}"
                    body = {} if method == "POST" else None
                    with self.subTest(f"{method} {target[:120]}"):
                        answer = self.attack(method, target, body, self.tokens["admin"])
                        if name == "nosuch" and not path.startswith("/ui"):
                            self.assertGreaterEqual(answer.status, 400, answer)

    def parameters(self, operation):
        for parameter in operation["parameters"]:
            if "$ref" in parameter:
                name = parameter["$ref"].rsplit("/", 1)[1]
                parameter = self.document["components"]["parameters"][name]
            yield parameter

    def test_headers(self):
        for name in HEADERS:
            for value in self.values.few():
                # Line breaks are tested in http_test.py.
                text = bytes(byte for byte in plain(value)[:4000] if byte not in b"\r\n")
                headers = {name: text}
                with self.subTest(f"{name}: {text[:60]}"):
                    answer = self.attack("POST", "/jobs", {"jobType": "T"}, self.tokens["producer"],
                                         headers)
                    self.assertNotIn("longshore_session=x", str(answer.headers))


def is_refused(answer):
    """Refused by the status, or by each verdict of a batch."""
    return answer.status >= 400 or all("code" in one for one in answer.json.get("verdicts", [{}]))


def plain(value):
    """Text unchanged, any other value as JSON."""
    value = json.loads(value) if value.startswith(b'"') else value.decode()
    return value.encode(errors="surrogatepass")


def put(body, place, value):
    """Sets the value at this path and creates missing objects and arrays."""
    for step, following in zip(place, place[1:]):
        empty = [None] if isinstance(following, int) else {}
        if isinstance(step, int):
            body[step] = body[step] if isinstance(body[step], type(empty)) else empty
        elif not isinstance(body.get(step), type(empty)) or body[step] == []:
            body[step] = empty
        body = body[step]
    body[place[-1]] = value


if __name__ == "__main__":
    unittest.main()
