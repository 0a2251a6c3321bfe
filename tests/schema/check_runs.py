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


def is_list_by_type(schema):
    """True if only its length and its members' types decide whether the schema takes a list."""
    return (schema.keys() <= {"type", "items", "minItems", "maxItems", "description"}
            and is_by_type(schema.get("items", {})))


OF_OBJECTS = {"type", "properties", "required", "additionalProperties", "description"}


class Validator(jsonschema.Draft202012Validator):
    """Remembers values that were right once: most of a run file is numbers, units and names."""
    right = set()
    of_schemas = {}

    def evolve(self, schema):
        """The validator of a part of the schema, made only once."""
        if id(schema) not in self.of_schemas:
            self.of_schemas[id(schema)] = super().evolve(schema=schema)
        return self.of_schemas[id(schema)]

    def was_right(self, instance, schema):
        """True if the same value was right for this schema, or every part of it for its schema."""
        while schema.keys() <= {"$ref", "description"} and "$ref" in schema:
            schema = self.definitions[schema["$ref"].removeprefix("#/$defs/")]
        kind, keywords = schema.get("type"), schema.keys()
        if isinstance(instance, dict):
            parts, others = schema.get("properties", {}), schema.get("additionalProperties")
            return (kind == "object" and keywords <= OF_OBJECTS
                    and all(name in instance for name in schema.get("required", ()))
                    and (others is not False or instance.keys() <= parts.keys())
                    and all(self.was_right(one, parts.get(name, others))
                            for name, one in instance.items() if name in parts or others))
        if isinstance(instance, list) and not is_list_by_type(schema):
            return (kind == "array" and keywords <= {"type", "items", "description"}
                    and all(self.was_right(one, schema["items"]) for one in instance))
        return self.known(instance, schema) in self.right

    @staticmethod
    def known(instance, schema):
        """What decides whether the schema takes the value; None if its parts decide."""
        if isinstance(instance, dict):
            return None
        if isinstance(instance, list):
            types = frozenset(map(type, instance))
            is_flat = is_list_by_type(schema) and not types & {dict, list}
            return (id(schema), len(instance), types) if is_flat else None
        return id(schema), type(instance), None if is_by_type(schema) else instance

    def descend(self, instance, schema, **place):
        if self.was_right(instance, schema):
            return
        errors = list(super().descend(instance, schema, **place))
        known = self.known(instance, schema)
        if known and not errors:
            self.right.add(known)
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
