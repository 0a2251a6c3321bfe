#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`fathom show` prints a run file as the command that wrote the file printed the run."""

import gzip
import json
import pathlib
import re
import shutil
import xml.etree.ElementTree

import fathom

DEMO = str(fathom.ROOT / "tests/golden/demo.json")
LINES = str(fathom.ROOT / "reference/h200-cuda-overlap-2.json")
CARD = str(fathom.ROOT / "reference/h200-cuda-standard-4.json.gz")
MAP = str(fathom.ROOT / "reference/h200-vulkan-map.json")


def sections(text):
    return re.findall(r"(?m)^── ([a-z]+):", text)


class Show(fathom.Case):
    def shown(self, *arguments):
        done = fathom.run("show", *arguments)
        self.assertEqual((0, ""), (done.status, done.err))
        return done.out

    def test_it_prints_what_the_run_printed(self):
        for name, devices in (("run.json", []), ("run.json.gz", ["-d", "all", "--api", "all"])):
            with self.subTest(file=name):
                path = self.path(name)
                ran = fathom.run("run", "--preset", "quick", "--tables", "-o", path, *devices)
                self.assertEqual(0, ran.status, ran.err)
                without_duration = re.sub(r" · \d+\.\d s$", "", ran.out, flags=re.M)
                self.assertNotEqual(ran.out, without_duration)
                self.assertEqual(without_duration, self.shown(path))

    def test_named_benchmarks_are_printed_alone(self):
        every = sections(self.shown(DEMO))
        self.assertGreater(len(every), 1)
        for name in every:
            self.assertEqual([name], sections(self.shown(DEMO, name)))
        self.assertEqual(every, sections(self.shown(DEMO, *reversed(every))))

    def test_a_map_is_drawn_and_its_tables_are_printed_on_demand(self):
        picture, tables = self.shown(MAP), self.shown(MAP, "latency")
        self.assertIn("│ level 1 ", picture)
        self.assertEqual([], sections(picture))
        self.assertNotIn("│ level 1 ", tables)
        self.assertEqual(["latency"], sections(tables))

    def test_a_bar_without_a_parameter_has_no_dash_in_its_name(self):
        bars = self.shown(CARD, "launch").partition("An empty kernel, by launch mode")[2].split("\n\n")[0]
        self.assertRegex(bars, r"(?m)^  round-trip  +\d")
        self.assertRegex(bars, r"(?m)^  queues queues=2  +\d")

    def test_findings_are_printed_once(self):
        with open(MAP, encoding="utf-8") as file:
            findings = json.load(file)["findings"]
        shown = self.shown(MAP).partition("\nFindings\n")[2]
        self.assertEqual(len(findings), shown.count("  • "))

    def test_other_forms_are_those_that_the_run_writes(self):
        run, table = self.path("run.json"), self.path("run.csv")
        ran = fathom.run("run", "--preset", "quick", "-o", run, "--csv", table)
        self.assertEqual(0, ran.status, ran.err)
        self.shown(run, "--csv", self.path("again.csv"))
        self.assertEqual(pathlib.Path(table).read_bytes(), (self.folder / "again.csv").read_bytes())

    def test_time_lines_are_drawn(self):
        self.shown(LINES, "--trace", self.path("trace"), "--svg", self.path("svg"))
        with open(self.path("trace"), encoding="utf-8") as file:
            self.assertIn("X", {event["ph"] for event in json.load(file)["traceEvents"]})
        root = xml.etree.ElementTree.parse(self.path("svg")).getroot()
        self.assertTrue(root.findall(".//{http://www.w3.org/2000/svg}rect"))

    def test_the_charts_of_the_page_are_drawn(self):
        self.shown(DEMO, "--svg", self.path("svg"))
        root = xml.etree.ElementTree.parse(self.path("svg")).getroot()
        with open(DEMO, encoding="utf-8") as file:
            benchmarks = {one["benchmark"] for one in json.load(file)["results"] if one["metrics"]}
        charts = root.findall("{http://www.w3.org/2000/svg}svg")
        self.assertEqual(len(benchmarks), len(charts))
        for chart in charts: # charts do not overlap, and each names its device
            x, y, width, height = (float(chart.get(name)) for name in ("x", "y", "width", "height"))
            self.assertIn("fathom", "".join(chart.itertext()))
            for other in charts[:charts.index(chart)]:
                ox, oy, owidth, oheight = (float(other.get(name))
                                           for name in ("x", "y", "width", "height"))
                self.assertTrue(x >= ox + owidth or ox >= x + width or y >= oy + oheight)
            self.assertLessEqual(x + width, float(root.get("width")))
            self.assertLessEqual(y + height, float(root.get("height")))

    def test_the_svg_begins_with_the_card_and_the_levels_of_memory(self):
        # Given a latency curve, then the drawing begins with the first screen of the page.
        self.shown(CARD, "--svg", self.path("svg"))
        root = xml.etree.ElementTree.parse(self.path("svg")).getroot()
        name = "{http://www.w3.org/2000/svg}"
        first = root.find(f"{name}g[@class='first']")
        texts = ["".join(text.itertext()) for text in first.iter(f"{name}text")]
        self.assertEqual("NVIDIA H200", texts[0])
        for part in ("L1 latency", "DRAM", "near L2 to ", "What stands out", "of limit"):
            self.assertTrue(any(part in text for text in texts), part)
        # The first screen lies above the first chart and within the drawing.
        bottom = min(float(chart.get("y")) for chart in root.findall(f"{name}svg"))
        for part in first.findall(f"{name}svg"):
            self.assertLess(float(part.get("y")) + float(part.get("height")), bottom)
            self.assertLess(float(part.get("x")) + float(part.get("width")), float(root.get("width")))
        self.assertLess(max(float(text.get("y")) for text in first.findall(f"{name}text")), bottom)

    def test_the_page_can_be_written(self):
        done = fathom.run("show", DEMO, "--html", self.path("page.html"))
        if "not in this build" in done.err:
            self.skipTest(done.err)
        self.assertEqual((0, ""), (done.status, done.err))
        self.assertIn("<!doctype html>", (self.folder / "page.html").read_text(encoding="utf-8"))

    def test_the_run_file_is_not_replaced(self):
        path = self.path("run.json")
        shutil.copy(DEMO, path)
        self.assert_one_line_error(fathom.run("show", path, "--csv", path), 2, "--csv", path,
                                   "another name")
        self.assertEqual(pathlib.Path(DEMO).read_bytes(), pathlib.Path(path).read_bytes())

    def test_mistakes_are_one_line_and_print_nothing(self):
        cut, packed = self.path("cut.json"), self.path("packed.json.gz")
        whole = pathlib.Path(DEMO).read_bytes()
        pathlib.Path(cut).write_bytes(whole[:len(whole) // 2])
        pathlib.Path(packed).write_bytes(gzip.compress(whole)[:-100])
        for arguments, parts in (([], ["RUN.json"]),
                                 ([self.path("none.json")], ["none.json", "No such file"]),
                                 ([""], ["cannot read '': No such file"]),
                                 ([cut], ["cut.json"]),
                                 ([packed], ["packed.json.gz", "damaged"]),
                                 ([__file__], ["test_show.py"]),
                                 ([DEMO, "latensy"], ["demo.json", "'latensy'", "'latency'", "shows all"]),
                                 ([DEMO, "--csv", "/nonexistent/a"], ["create its folder first"])):
            with self.subTest(arguments=arguments):
                done = fathom.run("show", *arguments)
                self.assert_one_line_error(done, 2, *parts)
                self.assertEqual("", done.out)


if __name__ == "__main__":
    fathom.main()
