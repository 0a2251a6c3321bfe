#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`fathom report` and `run --html`: from run files to a page, and run files made to do harm.
tests/web tests in a browser what the page shows."""

import json
import os
import pathlib
import resource
import shutil
import subprocess

import fathom

GOLDEN = fathom.ROOT / "tests/golden"
DEMO = str(GOLDEN / "demo.json")
ROWS = 100000 if "FATHOM_LONG" in os.environ else 10000


class Report(fathom.Case):
    def setUp(self):
        super().setUp()
        self.page = self.path("report.html")
        done = fathom.run("report", DEMO, "-o", self.page)
        if "not in this build" in done.err:
            self.skipTest(done.err)
        self.assertEqual((0, "", ""), (done.status, done.out, done.err))

    def text(self):
        return pathlib.Path(self.page).read_text(encoding="utf-8")

    def report(self, *files):
        os.remove(self.page)
        return fathom.run("report", *files, "-o", self.page)

    def file(self, name, content):
        path = self.path(name)
        pathlib.Path(path).write_text(content, encoding="utf-8")
        return path

    def changed(self, name, change):
        """Writes a changed demo run, and returns its path."""
        document = json.loads(pathlib.Path(DEMO).read_text(encoding="utf-8"))
        change(document)
        return self.file(name, json.dumps(document))

    def test_one_file_below_2_mib_that_asks_for_nothing(self):
        text = self.text()
        self.assertLess(len(text), 2 << 20)
        self.assertNotRegex(text, r'(src|href)="(https?:)?//')

    def test_runs_of_one_page_may_be_many(self):
        done = self.report(DEMO, str(GOLDEN / "rich.json"), *(100 * [GOLDEN / "fake_quick.json"]))
        self.assertEqual((0, ""), (done.status, done.err))

    def test_every_reference_run_makes_a_page(self):
        index = json.loads((fathom.ROOT / "reference/index.json").read_text(encoding="utf-8"))
        files, seen = [], set()
        for run in index["runs"]:
            kinds = {run["preset"], *run.get("benchmarks", ())}
            if not fathom.is_sampled() or not kinds <= seen:  # a sample has each kind at least once
                files.append(str(fathom.ROOT / "reference" / run["file"]))
                seen |= kinds
        done = self.report(*files)
        self.assertEqual((0, ""), (done.status, done.err))

    def test_run_writes_its_own_page(self):
        os.remove(self.page)
        done = fathom.run("run", "--preset", "quick", "--html", self.page)
        self.assertEqual((0, ""), (done.status, done.err))
        self.assertIn("<!doctype html>", self.text())

    def test_a_dash_is_the_standard_output(self):
        with open(DEMO, encoding="utf-8") as run:
            for arguments in (["report", DEMO], ["report", "-"]):
                run.seek(0)
                done = subprocess.run([fathom.BINARY, *arguments, "-o", "-"], stdin=run, text=True,
                                      env=fathom.environment(), capture_output=True, check=False)
                self.assertEqual((0, ""), (done.returncode, done.stderr))
                self.assertEqual(self.text(), done.stdout)

    def test_a_run_with_only_failures_makes_a_page(self):
        os.remove(self.page)
        done = fathom.run("run", "sum", "--set", "bytes=4KiB", "--html", self.page, fake="fail=1")
        self.assertEqual(1, done.status)
        self.assertIn("<!doctype html>", self.text())

    def test_where_it_cannot_be_written_nothing_is_measured(self):
        log = self.path("calls")
        for place, why in (("/nonexistent/report.html", "create its folder first"),
                           (str(self.folder), "Is a directory")):
            done = fathom.run("run", "--html", place, fake=f"log={log}")
            self.assert_one_line_error(done, 2, place, why)
            self.assert_one_line_error(fathom.run("report", DEMO, "-o", place), 2, place, why)
        self.assertFalse(os.path.exists(log))

    def test_a_run_file_is_not_replaced_by_its_page(self):
        path = self.path("demo.json")
        shutil.copy(DEMO, path)
        link = self.path("link.json")
        os.symlink(path, link)
        for output in (path, link):
            done = fathom.run("report", DEMO, path, "-o", output)
            self.assert_one_line_error(done, 2, output, "another name")
        self.assertEqual(pathlib.Path(DEMO).read_bytes(), pathlib.Path(path).read_bytes())

    def test_mistakes_are_one_line(self):
        for arguments, parts in (([], ["run files", "-o REPORT.html"]),
                                 ([DEMO], ["-o REPORT.html"]),
                                 (["-o", self.page], ["run files"]),
                                 ([DEMO, "-o", self.page, "-o", self.page], ["--output", "twice"]),
                                 ([self.path("none.json"), "-o", self.page], ["none.json"])):
            with self.subTest(arguments=arguments):
                self.assert_one_line_error(fathom.run("report", *arguments), 2, *parts)

    def test_files_that_are_no_runs_are_refused_and_leave_no_page(self):
        whole = pathlib.Path(DEMO).read_text(encoding="utf-8")
        for name, content, part in (
                ("empty.json", "", "empty.json"),
                ("cut.json", whole[:len(whole) // 2], "cut.json"),
                ("newer.json", whole.replace("fathom-run/1", "fathom-run/2"), "fathom-run/2"),
                ("nan.json", whole.replace('"median":', '"median":NaN,"was":', 1), "nan.json"),
                ("twice.json", whole.replace('"status":', '"status":"complete","status":', 1),
                 "status"),
                ("type.json", whole.replace('"results":[', '"results":[[],', 1), "results[0]"),
                ("zeros.json", "\0" * 4096, "zeros.json"),
                ("deep.json", "[" * 200000, "deep.json"),
                ("binary.json", "\ufffd" * 4096, "binary.json")):
            with self.subTest(name=name):
                done = self.report(DEMO, self.file(name, content))
                self.assert_one_line_error(done, 2, name, part)
                self.assertFalse(os.path.exists(self.page))
                fathom.run("report", DEMO, "-o", self.page)

    def test_hostile_texts_reach_the_page_as_data_only(self):
        attack = "</script><script>alert(1)</script><!--\u2028\u0007"

        def change(document):
            document["devices"][0]["name"] = attack
            document["benchmarks"][0]["title"] = attack
            document["findings"].append({"code": attack, "text": attack, "keys": []})
        calm = self.text()
        self.assertEqual(0, self.report(self.changed("hostile.json", change)).status)
        for word in ("<script", "</script", "<!--"):
            self.assertEqual(calm.count(word), self.text().count(word))
        self.assertNotIn("alert(1)</", self.text())

    def test_ten_million_letters_are_taken_or_refused_in_one_line(self):
        def change(document):
            document["devices"][0]["driver"] = "x" * (10 << 20)
        done = self.report(self.changed("huge.json", change))
        self.assertEqual((0, ""), (done.status, done.err))


class Rows(fathom.Case):
    """Runs of many rows, copied from a golden run with another value of a parameter."""

    def many(self, rows, findings=True):
        document = json.loads(pathlib.Path(DEMO).read_text(encoding="utf-8"))
        base = document.pop("results")
        for benchmark in document["benchmarks"]:
            benchmark["params"].append({"key": "copy", "type": "uint", "unit": "1",
                                        "role": "axis"})
        if not findings:  # as early versions: `report` looks for the levels
            document["findings"] = []
        sensors = {name: {"value": 1980000000.5, "unit": "Hz"} for name in (
            "core_clock", "core_clock_max", "core_clock_min", "memory_clock", "power", "heat")}
        path = self.path(f"{rows}.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(json.dumps(document)[:-1] + ',"results":[')
            for i in range(rows):
                row, copy = base[i % len(base)], i // len(base)
                file.write(",\n"[i == 0] + json.dumps(
                    {**row, "key": f"{row['key']}/copy={copy}",
                     "case": {**row["case"], "copy": copy}, "sensors": sensors}))
            file.write("]}\n")
        return path

    def report(self, path, most_bytes=resource.RLIM_INFINITY):
        """Runs `fathom report` with this much address space, and returns its user seconds."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run(
            [fathom.BINARY, "report", path, "-o", path + ".html"], env=fathom.environment(),
            capture_output=True, text=True, check=False, timeout=fathom.TIMEOUT_S,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes)))
        if "not in this build" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    def test_the_memory_is_400_mb_for_100000_rows_of_a_kilobyte(self):
        if fathom.is_sanitized():
            self.skipTest("a sanitizer takes memory of its own")
        path = self.many(ROWS)
        self.assertGreater(os.path.getsize(path), ROWS * 1000)
        libraries = 50 << 20
        self.report(path, libraries + 3500 * ROWS)

    def test_the_time_is_less_than_python_takes_to_read_the_file_thrice(self):
        """Both are user time, measured in turn on the same machine, so that its speed and its load
        make little difference. 100,000 rows take 3 s where Python reads them in 3 s; a build
        without all optimizations takes 6 s."""
        if fathom.is_sanitized():
            self.skipTest("a sanitizer takes time of its own")
        path = self.many(ROWS)
        text = pathlib.Path(path).read_text(encoding="ascii")

        def read():
            before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
            json.loads(text)
            return resource.getrusage(resource.RUSAGE_SELF).ru_utime - before

        times = [(self.report(path), read()) for _ in range(3)]
        self.assertLess(min(report for report, _ in times), 3 * min(read for _, read in times), times)

    def test_the_time_grows_as_the_rows(self):
        """Another program on the machine may double the user time; a time that grows as the square
        of the rows would be 64 times as long."""
        most = 4000 if fathom.is_sampled() else 16000
        for findings in (True, False):
            few, many = (self.report(self.many(rows, findings)) for rows in (most // 8, most))
            self.assertLess(many, 24 * few)


if __name__ == "__main__":
    fathom.main()
