"""Validates every response against the server's /openapi.json.

Supports exactly the JSON Schema keywords that the document uses: a new keyword is an error and not
a skipped check. A member that the document does not list is an error too.
"""

import json
import re

WORDS = {
    "$ref", "type", "enum", "const", "properties", "required", "additionalProperties", "items",
    "minimum", "maximum", "exclusiveMinimum", "minLength", "maxLength", "minItems", "maxItems",
    "pattern", "oneOf", "anyOf", "allOf", "description", "default", "format", "title", "examples",
    "propertyNames", "maxProperties", "contentMediaType",
}  # fmt: skip
TYPES = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


class Document:
    def __init__(self, text):
        self.document = json.loads(text)
        self.paths = [(_pattern(path), path) for path in self.document["paths"]]

    def faults(self, method, target, answer):
        """The problems of a response; empty if it is valid."""
        path = target.partition("?")[0].removeprefix("/v1")
        operation = self._operation(method, path)
        if operation is None:
            return []
        responses = operation["responses"]
        response = responses.get(str(answer.status)) or responses.get("default")
        if response is None or (answer.status < 400 and str(answer.status) not in responses):
            return [f"{answer.status} is not among the answers of {method} {path}"]
        content = self._resolved(response).get("content", {})
        kind = (answer.headers["Content-Type"] or "").split(";")[0]
        if not content:
            return [] if answer.body == "" else ["there is a body, and the document has none"]
        if kind not in content:
            return [f"{kind} is not among {list(content)}"]
        if not kind.endswith("json") or method == "HEAD":
            return []
        return list(self._check(content[kind].get("schema", {}), answer.json, "answer"))

    def _operation(self, method, path):
        exact = self.document["paths"].get(path, {})
        if method.lower() in exact:
            return exact[method.lower()]
        for pattern, name in self.paths:
            if pattern.fullmatch(path) and method.lower() in self.document["paths"][name]:
                return self.document["paths"][name][method.lower()]
        return None

    def _resolved(self, node):
        while "$ref" in node:
            target = self.document
            for part in node["$ref"].removeprefix("#/").split("/"):
                target = target[part]
            node = target
        return node

    def _check(self, schema, value, at):
        if schema is True:
            return
        schema = self._resolved(schema)
        if unknown := set(schema) - WORDS:
            yield f"{at}: the schema says {unknown}, which is not checked"
        yield from self._check_value(schema, value, at)
        yield from self._check_parts(schema, value, at)
        for word, enough in (("oneOf", lambda n: n == 1), ("anyOf", lambda n: n > 0)):
            if word in schema:
                fits = [one for one in schema[word] if not list(self._check(one, value, at))]
                if not enough(len(fits)):
                    yield f"{at}: {len(fits)} of {word} fit {value!r}"
        for one in schema.get("allOf", []):
            yield from self._check(one, value, at)

    def _check_value(self, schema, value, at):
        types = schema.get("type", [])
        types = [types] if isinstance(types, str) else types
        if types and not any(TYPES[one](value) for one in types):
            yield f"{at}: {value!r} is no {types}"
        if "enum" in schema and value not in schema["enum"]:
            yield f"{at}: {value!r} is none of {schema['enum']}"
        if "const" in schema and value != schema["const"]:
            yield f"{at}: {value!r} is not {schema['const']!r}"
        if TYPES["number"](value):
            if value < schema.get("minimum", value) or value > schema.get("maximum", value):
                yield f"{at}: {value!r} is out of its range"
            if "exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"]:
                yield f"{at}: {value!r} is too small"
        if isinstance(value, str):
            if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", 1 << 60):
                yield f"{at}: {len(value)} characters"
            if "pattern" in schema and not re.search(schema["pattern"], value):
                yield f"{at}: {value!r} does not match {schema['pattern']}"

    def _check_parts(self, schema, value, at):
        if isinstance(value, list):
            if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", 1 << 60):
                yield f"{at}: {len(value)} elements"
            for number, element in enumerate(value):
                yield from self._check(schema.get("items", True), element, f"{at}[{number}]")
        if isinstance(value, dict):
            for name in set(schema.get("required", [])) - set(value):
                yield f"{at}: {name} is missing"
            known = schema.get("properties", {})
            others = schema.get("additionalProperties", not known)
            for name, member in value.items():
                if name in known:
                    yield from self._check(known[name], member, f"{at}.{name}")
                elif others is False:
                    yield f"{at}: the document does not know {name}"
                else:
                    yield from self._check(others, member, f"{at}.{name}")


def _pattern(path):
    return re.compile(re.sub(r"\\\{[^}]*\\\}", "[^/]+", re.escape(path)))
