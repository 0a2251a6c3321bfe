#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Validates run files, gzipped or not, against docs/run-schema.json.

check_runs.py FILE…        these files
check_runs.py --committed  everything under tests/golden and reference
"""

import functools
import gzip
import json
import math
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed (apt-get install python3-jsonschema)")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parents[2]


def refuse_constant(word):
    raise ValueError(f"{word} is not JSON")


def refuse_duplicates(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError(f"a member stands twice among {[name for name, _ in pairs[:20]]}")
    return members


def load(path):
    data = pathlib.Path(path).read_bytes()
    text = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    return json.loads(text, parse_constant=refuse_constant, object_pairs_hook=refuse_duplicates)


def is_by_type(schema):
    """True unless values of one Python type differ: of floats, 1.0 is an integer and 1.5 is not."""
    return (schema.keys() <= {"type", "description"}
            and "integer" not in schema.get("type", "integer"))


class Part:
    """A part of the schema, and which values were right for it."""
    of_schemas = {}

    def __init__(self, schema, definitions):
        kind, keywords = schema.get("type"), schema.keys() - {"description"}
        self.schema, self.definitions, self.right = schema, definitions, set()
        self.others = schema.get("additionalProperties")
        self.required = set(schema.get("required", ()))
        self.is_object = kind == "object" and keywords <= {"type", "properties", "required",
                                                           "additionalProperties"}
        self.is_list = kind == "array" and keywords <= {"type", "items"}
        self.is_by_type = is_by_type(schema)
        # Only the length of a list and its members' types decide.
        self.is_list_by_type = (keywords <= {"type", "items", "minItems", "maxItems"}
                                and is_by_type(schema.get("items", {})))

    @classmethod
    def of(cls, schema, definitions):
        if id(schema) not in cls.of_schemas:
            meant = schema
            while meant.keys() <= {"$ref", "description"} and "$ref" in meant:
                meant = definitions[meant["$ref"].removeprefix("#/$defs/")]
            cls.of_schemas[id(schema)] = (cls(schema, definitions) if meant is schema
                                          else cls.of(meant, definitions))
        return cls.of_schemas[id(schema)]

    @functools.cached_property
    def members(self):
        """The parts for an object's members by name; under None that for members without one."""
        schemas = self.schema.get("properties", {}) | ({None: self.others} if self.others else {})
        return {name: self.of(schema, self.definitions) for name, schema in schemas.items()}

    @functools.cached_property
    def items(self):
        return self.of(self.schema["items"], self.definitions)

    def was_right(self, value):
        """True if the same value was right, or every part of it for its part of the schema."""
        if isinstance(value, dict):
            members = self.members
            others = members.get(None)
            return (self.is_object and self.required <= value.keys()
                    and (self.others is not False or value.keys() <= members.keys())
                    and all(members.get(name, others).was_right(one)
                            for name, one in value.items() if name in members or others))
        if isinstance(value, list) and not self.is_list_by_type:
            return self.is_list and all(map(self.items.was_right, value))
        return self.known(value) in self.right

    def known(self, value):
        """What decides whether the value is right; None if its parts decide."""
        if isinstance(value, dict):
            return None
        if isinstance(value, list):
            types = frozenset(map(type, value))
            is_flat = self.is_list_by_type and not types & {dict, list}
            return (len(value), types) if is_flat else None
        return type(value), None if self.is_by_type else value


class Validator(jsonschema.Draft202012Validator):
    """Remembers values that were right once: most of a run file is numbers, units and names."""
    of_schemas = {}

    def evolve(self, schema):
        """The validator of a part of the schema, made only once."""
        if id(schema) not in self.of_schemas:
            self.of_schemas[id(schema)] = super().evolve(schema=schema)
        return self.of_schemas[id(schema)]

    def descend(self, instance, schema, **place):
        part = Part.of(schema, self.definitions)
        if part.was_right(instance):
            return
        errors = list(super().descend(instance, schema, **place))
        known = part.known(instance)
        if known and not errors:
            part.right.add(known)
        yield from errors


@functools.lru_cache  # checking the schema takes as long as checking a small run file
def validator():
    schema = json.loads((ROOT / "docs/run-schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    Validator.definitions = schema["$defs"]
    return Validator(schema)


def cross_references(run):
    """Checks what a schema cannot: names refer to something, and intervals are right."""
    devices = {device["id"] for device in run["devices"]}
    versions = {info["name"]: info["version"] for info in run["benchmarks"]}
    for i, result in enumerate(run["results"]):
        if result["device"] not in devices:
            yield f"results[{i}].device: {result['device']} is not among the devices"
        if versions.get(result["benchmark"]) != result["version"]:
            yield f"results[{i}]: no benchmark {result['benchmark']} of that version is declared"
        for metric in result["metrics"]:
            low, high = metric.get("ci95", (-math.inf, math.inf))
            if not low <= metric.get("median", low) <= high:
                yield f"results[{i}]: the median of {metric['name']} is outside its interval"


def problems(path, check):
    try:
        run = load(path)
    except (OSError, ValueError) as error:
        return [str(error)]
    found = [f"{error.json_path}: {error.message[:200]}" for error in check.iter_errors(run)]
    return found or list(cross_references(run))


def committed():
    for folder in ("tests/golden", "reference"):
        for path in sorted((ROOT / folder).rglob("*.json*")):
            if path.name not in ("index.json", "cards.json", "checks.json"):
                yield path


def main():
    paths = list(committed()) if sys.argv[1:] == ["--committed"] else sys.argv[1:]
    if not paths or paths[0] in ("-h", "--help"):
        print(__doc__)
        return 2
    check = validator()
    bad = 0
    for path in paths:
        for problem in problems(path, check)[:10]:
            print(f"{path}: {problem}")
            bad = 1
    print(f"{len(paths)} run files checked")
    return bad


if __name__ == "__main__":
    sys.exit(main())
