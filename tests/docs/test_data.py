#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""test_data.py FATHOM: the programs of docs/DATA.md print what is in a run, and the page names each
column of the CSV, in the right order."""

import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PAGE = os.path.join(ROOT, "docs/DATA.md")
RUN = os.path.join(ROOT, "reference/h200-vulkan-map.json")
COLUMN = re.compile(r"^\| ((?:`\w+`(?:, )?)+) \|", re.M)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def expected():
    """The latencies of path=vector in the run file."""
    with open(RUN, encoding="utf-8") as file:
        results = json.load(file)["results"]
    points = []
    for result in results:
        case = result["case"]
        if (result["benchmark"], result["verdict"], case.get("path")) == ("latency", "ok", "vector"):
            metric = result["metrics"][0]
            points.append([case["chain"], case["order"], case["bytes"], metric["median"], *metric["ci95"]])
    return points


def points_of(text):
    return [[*line.split()[:2], int(line.split()[2]), *map(float, line.split()[3:])]
            for line in text.splitlines()]


def main():
    fathom = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, "-B", os.path.join(HERE, "extract.py"), PAGE, folder)
        table = os.path.join(folder, "run.csv")
        run(fathom, "show", RUN, "--csv", table)
        with open(PAGE, encoding="utf-8") as page, open(table, encoding="utf-8") as file:
            named = re.findall(r"\w+", " ".join(COLUMN.findall(page.read())))
            assert named == file.readline().strip().split(","), named
        wanted = expected()
        assert len(wanted) > 30, wanted
        programs = [("latency.py", RUN), ("latency_csv.py", table), ("latency_pandas.py", table)]
        packed = os.path.join(folder, "run.json.gz")
        run("sh", "-c", f"gzip -c {RUN} > {packed}")
        programs.append(("latency.py", packed))
        for name, data in programs:
            if "pandas" in name and subprocess.run([sys.executable, "-c", "import pandas"],
                                                   capture_output=True, check=False).returncode:
                print(f"{name}: not run, because pandas is not installed")
                continue
            assert points_of(run(sys.executable, os.path.join(folder, name), data)) == wanted, name
            print(f"{name}: {len(wanted)} points")


if __name__ == "__main__":
    main()
