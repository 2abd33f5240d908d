"""Validates values with the part of JSON Schema that our OpenAPI document uses."""

import re

TYPES = {
    "null": lambda v: v is None,
    "boolean": lambda v: isinstance(v, bool),
    "integer": lambda v: not isinstance(v, bool) and isinstance(v, (int, float))
    and v == v and abs(v) != float("inf") and v == int(v),
    "number": lambda v: not isinstance(v, bool) and isinstance(v, (int, float)),
    "string": lambda v: isinstance(v, str),
    "array": lambda v: isinstance(v, list),
    "object": lambda v: isinstance(v, dict),
}  # fmt: skip


class Schemas:
    def __init__(self, document):
        self._all = document["components"]["schemas"]

    def resolve(self, schema):
        """The schema with its references resolved."""
        while "$ref" in schema:
            beside = {k: v for k, v in schema.items() if k != "$ref"}
            schema = {**self._all[schema["$ref"].rsplit("/", 1)[1]], **beside}
        return schema

    def fits(self, value, schema):
        schema = self.resolve(schema)
        if "oneOf" in schema and sum(self.fits(value, one) for one in schema["oneOf"]) != 1:
            return False
        types = schema.get("type", list(TYPES))
        types = [types] if isinstance(types, str) else types
        if not any(TYPES[name](value) for name in types):
            return False
        if "enum" in schema and value not in schema["enum"]:
            return False
        if "const" in schema and value is not schema["const"]:
            return False
        kind = type(value)
        if kind in (int, float):
            return self._number_fits(value, schema)
        if kind is str:
            return self._text_fits(value, schema)
        if kind is list:
            return self._list_fits(value, schema)
        return kind is not dict or self._object_fits(value, schema)

    @staticmethod
    def _number_fits(value, schema):
        return (
            schema.get("minimum", value) <= value <= schema.get("maximum", value)
            and not ("exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"])
        )  # fmt: skip

    @staticmethod
    def _text_fits(value, schema):
        pattern = schema.get("pattern", "")
        return (
            schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))
            and re.search(pattern.replace("$", r"\Z"), value) is not None
        )  # fmt: skip

    def _list_fits(self, value, schema):
        items = schema.get("items", {})
        return (
            schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value))
            and all(self.fits(one, items) for one in value)
        )  # fmt: skip

    def _object_fits(self, value, schema):
        if any(name not in value for name in schema.get("required", [])):
            return False
        if len(value) > schema.get("maxProperties", len(value)):
            return False
        known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        for name, one in value.items():
            rule = known.get(name, others)
            if rule is False or (rule is not True and not self.fits(one, rule)):
                return False
        return True

    def fields(self, schema, at=()):
        """The place of every field in a body of this schema: ("jobs", 0, "priority")."""
        schema = self.resolve(schema)
        for name, one in schema.get("properties", {}).items():
            yield (*at, name), one
            yield from self.fields(one, (*at, name))
        if isinstance(schema.get("additionalProperties"), dict):
            yield (*at, "k"), schema["additionalProperties"]
        if "items" in schema:
            yield (*at, 0), schema["items"]
            yield from self.fields(schema["items"], (*at, 0))
