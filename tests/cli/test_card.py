#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The card with which `run` ends and `show` begins; and the runs that are kept without -o. A person
has read the texts of tests/golden/card-*.txt. After a change on purpose: test_card.py --update,
then read the difference."""

import fcntl
import gzip
import json
import os
import pathlib
import pty
import re
import resource
import shutil
import signal
import stat
import struct
import subprocess
import sys
import termios
import textwrap

import fathom

REAL = os.environ["FATHOM_REAL"]
GOLDEN = fathom.ROOT / "tests/golden"
REFERENCE = fathom.ROOT / "reference"
CARDS = {
    "card-h200-vulkan": "h200-vulkan-quick.json",
    "card-h200-cuda": "other-host/h200-cuda-standard.json.gz",
    "card-lavapipe": "lavapipe-quick.json",
}
GREY, PLAIN = "\x1b[2m", "\x1b[0m"


def card_of(run):
    """The card: what `show` prints before the first table."""
    shown = fathom.run("show", str(run), binary=REAL, TZ="UTC")
    assert shown.status == 0, shown.err
    return shown.out.partition("\n──")[0]


def terminal(*command, columns=100, **more):
    """Runs the program on a terminal. Returns its exit status and what it wrote."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 60, columns, 0, 0))
    with subprocess.Popen([REAL, *command], env=fathom.environment(TERM="xterm", **more),
                          stdin=follower, stdout=follower, stderr=follower) as process:
        os.close(follower)
        text = b""
        while True:
            try:
                part = os.read(leader, 65536)
            except OSError:  # the program has ended
                break
            if not part:
                break
            text += part
    os.close(leader)
    return process.returncode, text.decode("utf-8").replace("\r\n", "\n")


class Card(fathom.Case):
    def changed(self, name, change):
        """Writes a reference run in which change(result) has changed each result; returns its path."""
        document = json.loads((REFERENCE / name).read_text(encoding="utf-8"))
        for result in document["results"]:
            change(result)
        path = self.folder / "changed.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        return path

    def test_the_cards_of_reference_runs_are_as_they_were(self):
        for name, run in CARDS.items():
            with self.subTest(card=name):
                self.maxDiff = 4000
                golden = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
                self.assertEqual(golden, card_of(REFERENCE / run))

    def test_the_readme_shows_such_a_card(self):
        card = (GOLDEN / "card-h200-cuda.txt").read_text(encoding="utf-8")
        self.assertIn(textwrap.indent(card, "    "),
                      (fathom.ROOT / "README.md").read_text(encoding="utf-8"))

    def test_a_figure_that_is_not_trusted_is_marked_and_says_why(self):
        def flag(result):
            if result["key"] == "incore/scope=device/op=fp64-fma":
                result["verdict"] = "suspect"
                result["reasons"] = [{"code": "drift", "text": "the clock fell while it ran"}]

        path = self.changed("h200-vulkan-quick.json", flag)
        lines = card_of(path).splitlines()
        at = next(i for i, line in enumerate(lines) if line.startswith("  FP64 "))
        self.assertIn("(33.21 TFLOP/s)", lines[at])
        self.assertEqual("      suspect: the clock fell while it ran", lines[at + 1])
        self.assertIn("  • Not trusted: FP64", lines)
        self.assertNotIn("(", next(line for line in lines if line.startswith("  FP32 ")))
        _, coloured = terminal("show", str(path))
        self.assertIn(f"{GREY}(33.21 TFLOP/s){PLAIN}", coloured)
        self.assertNotIn(f"{GREY}66.29 TFLOP/s{PLAIN}", coloured)

    def test_of_near_figures_the_one_that_is_ok_counts_and_of_others_the_better_one(self):
        # DRAM read is a figure of bandwidth; the figure of stream is 0.5 % lower.
        best = "4599901199465"

        def flag_the_best(result):
            if best in json.dumps(result["metrics"]):
                result["verdict"] = "suspect"

        self.assertRegex(card_of(self.changed("h200-vulkan-quick.json", flag_the_best)),
                         r"\n  DRAM read +4\.574 TB/s ")

        def flag_the_bandwidth(result):
            if result["benchmark"] == "bandwidth" and "scope=device" in result["key"]:
                result["verdict"] = "suspect"
                for metric in result["metrics"]:
                    metric["median"] *= 1.1

        card = card_of(self.changed("h200-vulkan-quick.json", flag_the_bandwidth))
        self.assertRegex(card, r"\n  DRAM read +\(5\.060 TB/s\) ")

    def test_a_slower_card_than_the_reference_stands_out(self):
        def slow_down(result):
            if result["benchmark"] == "incore" and "op=fp32-fma" in result["key"]:
                result["version"] = 3  # the version in the reference
                for metric in result["metrics"]:
                    metric["median"] /= 2

        card = card_of(self.changed("h200-vulkan-quick.json", slow_down))
        self.assertIn("  • FP32: 33.15 TFLOP/s, 50 % lower than the reference NVIDIA H200 "
                      "(66.19 TFLOP/s)\n", card)
        self.assertIn("  • FP32: 50 % of its limit", card)
        self.assertNotIn("As fast as", card)

    def test_another_model_is_a_column_and_no_judgement(self):
        path = self.changed("h200-vulkan-quick.json", lambda result: None)
        text = path.read_text(encoding="utf-8").replace('"NVIDIA H200"', '"NVIDIA H100"')
        path.write_text(text, encoding="utf-8")
        card = card_of(path)
        self.assertRegex(card.splitlines()[2], r"of limit +clock +NVIDIA H200$")
        self.assertNotIn("reference", card)

    def test_a_benchmark_of_another_version_has_no_reference(self):
        path = self.changed("h200-vulkan-quick.json",
                            lambda result: result.update(version=result["version"] + 100))
        self.assertNotIn("reference", card_of(path))

    def test_it_fits_the_terminal(self):
        for columns in (60, 72, 100):
            with self.subTest(columns=columns):
                status, text = terminal("show", str(REFERENCE / "h200-cuda-all.json"),
                                        columns=columns, NO_COLOR="1")
                self.assertEqual(0, status)
                card = text.partition("\n──")[0].splitlines()
                self.assertLessEqual(max(map(len, card)), columns)
                self.assertTrue(any(line.startswith("  DRAM read") for line in card))


class Run(fathom.Case):
    CHEAP = ("latency", "--preset", "quick", "--set", "latency.path=vector", "--api", "vulkan")

    def setUp(self):
        super().setUp()
        if not json.loads(fathom.run("devices", "--json", binary=REAL).out)["devices"]:
            self.skipTest("no device")

    def test_without_a_gpu_the_first_line_says_so(self):
        done = fathom.run("run", *self.CHEAP, binary=REAL)
        self.assertEqual(0, done.status, done.err)
        if "· cpu ·" not in done.out:
            self.skipTest("this machine has a GPU")
        self.assertEqual("No GPU found: these are figures of the CPU", done.out.splitlines()[0])

    def test_a_pipe_gets_the_card_once(self):
        done = fathom.run("run", *self.CHEAP, binary=REAL)
        self.assertNotIn("\x1b", done.out)
        self.assertLessEqual(done.out.count("  L1 latency"), 1)
        self.assertTrue(done.out.endswith("\nEvery table and finding: fathom run --tables\n"))
        self.assertNotIn("── latency", done.out)


class Forms(fathom.Case):
    RUN = str(REFERENCE / "h200-cuda-all.json")
    LINES = str(REFERENCE / "h200-cuda-overlap-2.json")

    def test_as_markdown(self):
        # Without "=FILE" the next word is a run file, and the table goes to the standard output.
        done = fathom.run("show", "--markdown", self.RUN, binary=REAL)
        self.assertEqual((0, ""), (done.status, done.err))
        self.assertIn("### NVIDIA H200\n", done.out)
        table = [line for line in done.out.splitlines() if line.startswith("|")]
        self.assertEqual({table[0].count("|")}, {line.count("|") for line in table})
        self.assertIn("| FP64 | 33.35 TFLOP/s | ±0.3% |  | 100 % | 1.98 GHz |  |  |", table)

    def test_as_json(self):
        done = fathom.run("show", "--json", self.RUN, binary=REAL)
        [card] = json.loads(done.out)
        self.assertEqual(("cuda:0", "NVIDIA H200"), (card["device"], card["reference"]))
        figures = {figure["title"]: figure for row in card["rows"] for figure in row["figures"]}
        self.assertAlmostEqual(33.35e12, figures["FP64"]["value"], delta=1e10)
        self.assertEqual(("ok", "FLOP/s"), (figures["FP64"]["verdict"], figures["FP64"]["unit"]))
        self.assertIn("known to", figures["Launch and wait"]["reason"])

    def test_report_and_show_write_the_same_forms(self):
        for form, part in (("--csv", "key,benchmark,metric,"), ("--trace", "traceEvents"),
                           ("--svg", "<svg "), ("--markdown", "### NVIDIA H200\n")):
            with self.subTest(form=form):
                files = [self.path(command + form) for command in ("report", "show")]
                outs = [fathom.run(*command, self.LINES, f"{form}={file}", binary=REAL)
                        for command, file in zip((["report"], ["show", "-q"]), files)]
                streams = [fathom.run(command, self.LINES, f"{form}=-", binary=REAL)
                           for command in ("report", "show")]
                self.assertEqual({(0, "", "")}, {(one.status, one.out, one.err) for one in outs})
                texts = [pathlib.Path(file).read_text(encoding="utf-8") for file in files]
                self.assertEqual({texts[0]}, {texts[1], *(one.out for one in streams)})
                self.assertIn(part, texts[0])

    def test_report_writes_forms_of_one_run_only_and_never_over_it(self):
        page, table = self.path("page.html"), self.path("table.csv")
        for form in ("--csv", "--markdown"):
            self.assert_one_line_error(
                fathom.run("report", self.RUN, self.RUN, f"{form}={table}"), 2, form, "one run")
            for command in ("report", "show"):
                self.assert_one_line_error(
                    fathom.run(command, table, f"{form}={table}"), 2, "another name")
        self.assert_one_line_error(fathom.run("report", self.RUN, "-o", page, "--csv", page), 2,
                                   "the same file")
        self.assert_one_line_error(fathom.run("show", self.RUN, "--markdown", "--json"), 2,
                                   "the same file")


class Live(fathom.Case):
    def test_on_a_terminal_the_card_fills_while_the_run_goes_on(self):
        # Given a simulated GPU whose latency curve takes several seconds,
        status, text = terminal("run", "latency", "--preset", "quick", "--set", "path=vector", "-d",
                                f"model:{fathom.ROOT}/models/v100.json")
        self.assertEqual(0, status)
        # then the card is redrawn in place: each wipe goes up the lines of the card before it,
        wipe = r"\x1b\[(\d+)A\x1b\[J"
        cards = re.split(wipe, text)
        self.assertGreater(len(cards), 2)
        for card, lines in zip(cards[::2], cards[1::2]):
            drawn = card[card.rindex("\x1b[1mNVIDIA V100"):]
            self.assertEqual(int(lines), drawn.count("\n"))
        # the figures of cases that go on are provisional (on a busy host the first card may come
        # when some figures are final),
        first = cards[0][cards[0].rindex("\x1b[1mNVIDIA V100"):]
        self.assertRegex(first, r"\x1b\[2m(L1|L2|DRAM) latency\x1b\[0m +\x1b\[2m\(\d")
        # and the last card stays, with figures that are final.
        last = cards[-1]
        self.assertRegex(last, r"\n  L1 latency +2\d\.\d\d ns ")
        self.assertNotIn("(2", last)

    def test_a_terminal_narrower_than_a_card_shows_it_at_the_end_alone(self):
        status, text = terminal("run", "latency", "--preset", "quick", "--set", "path=vector", "-d",
                                f"model:{fathom.ROOT}/models/v100.json", columns=59)
        self.assertEqual(0, status)
        self.assertNotIn("\x1b[J", text)  # lines this narrow would wrap and could not be erased
        self.assertEqual(1, text.count("\x1b[1mNVIDIA V100"))

    def test_with_tables_or_through_a_pipe_it_does_not(self):
        cheap = ("run", "latency", "--preset", "quick", "--set", "latency.path=shared", "-d",
                 f"model:{fathom.ROOT}/models/a100.json")
        self.assertNotIn("\x1b[J", terminal(*cheap, "--tables")[1])
        done = fathom.run(*cheap, binary=REAL)
        self.assertNotIn("\x1b", done.out + done.err)


class Kept(fathom.Case):
    """Runs without a file given, on the fake GPU."""

    def measure(self, *arguments, **where):
        done = fathom.run("run", "--preset", "quick", *arguments, **where)
        self.assertEqual((0, ""), (done.status, done.err))
        return done

    def runs(self):
        return sorted((self.folder / "fathom").glob("*"))

    def test_a_run_without_a_file_is_kept_and_shown_again(self):
        done = self.measure(XDG_STATE_HOME=str(self.folder))
        self.assertTrue(done.out.endswith("\nEvery table and finding: fathom show\n"), done.out)
        [path] = self.runs()
        self.assertEqual(0o600, stat.S_IMODE(path.stat().st_mode))
        self.assertRegex(path.name, r"^\d{8}T\d{6}Z-\d+\.json\.gz$")
        with gzip.open(path, "rt", encoding="utf-8") as file:
            self.assertEqual("complete", json.load(file)["status"])
        for names in ([], ["chase"]):
            again = fathom.run("show", *names, XDG_STATE_HOME=str(self.folder))
            named = fathom.run("show", str(path), *names)
            self.assertEqual((0, named.out), (again.status, again.out))

    def test_below_the_home_where_no_folder_is_set(self):
        self.measure(HOME=str(self.folder))
        self.assertEqual(1, len(list((self.folder / ".local/state/fathom").glob("*.json.gz"))))

    def test_with_a_file_nothing_is_kept(self):
        self.measure("-o", self.path("run.json"), XDG_STATE_HOME=str(self.folder))
        self.measure("--json", XDG_STATE_HOME=str(self.folder))
        self.assertEqual([], self.runs())

    def test_a_run_whose_file_cannot_be_written_at_last_is_kept(self):
        os.mkdir(self.path("out"))
        process = fathom.start("run", "sum", "-o", self.path("out/run.json"), fake="stop=3",
                               variables={"XDG_STATE_HOME": str(self.folder)})
        stopped = fathom.wait_until_stopped(process)
        shutil.rmtree(self.path("out"))
        os.kill(stopped, signal.SIGCONT)
        out, err = process.communicate(timeout=fathom.TIMEOUT_S)
        [path] = self.runs()
        self.assertEqual(2, process.returncode)
        self.assertIn(f"fathom: the results are in {path} instead of the run file: cannot write ", err)
        self.assertTrue(out.endswith("\nEvery table and finding: fathom show\n"), out)

    def test_a_run_that_the_standard_output_cannot_take_is_kept(self):
        with open(self.path("out.json"), "wb") as out:
            done = subprocess.run(
                [fathom.BINARY, "run", "--preset", "quick", "--json"], stdout=out,
                stderr=subprocess.PIPE, text=True, check=False,
                env=fathom.environment(XDG_STATE_HOME=str(self.folder)),
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000)))
        [path] = self.runs()
        self.assertEqual(2, done.returncode)
        self.assertIn(f"fathom: the results are in {path} instead: cannot write the standard "
                      "output: File too large", done.stderr)
        again = fathom.run("show", str(path))
        self.assertIn("4 ok", again.out)

    def test_a_run_does_not_replace_that_of_another_process_in_its_file(self):
        path = self.path("run.json")
        self.measure("sum", "-o", path, "--seed", "1")
        # Given a run whose worker is stopped, when another run ends in the same file,
        process = fathom.start("run", "sum", "-o", path, "--seed", "2", fake="stop=3",
                               variables={"XDG_STATE_HOME": str(self.folder)})
        stopped = fathom.wait_until_stopped(process)
        self.measure("sum", "-o", path, "--seed", "3")
        os.kill(stopped, signal.SIGCONT)
        err = process.communicate(timeout=fathom.TIMEOUT_S)[1]
        # then the file keeps this other run, and the first one is kept where it has no file.
        [kept] = self.runs()
        self.assertEqual(2, process.returncode)
        self.assertIn(f"fathom: the results are in {kept} instead of the run file: another fathom "
                      f"has written its run to {path}: name another file\n", err)
        self.assertEqual(3, self.read_run(path)["seed"])

    def test_the_oldest_runs_go(self):
        folder = self.folder / "fathom"
        folder.mkdir()
        for i in range(25):
            (folder / f"202601{i + 1:02}T000000Z-1.json.gz").write_bytes(b"")
        (folder / "mine.txt").write_text("", encoding="utf-8")
        self.measure(XDG_STATE_HOME=str(self.folder))
        names = [path.name for path in self.runs() if path.name != "mine.txt"]
        self.assertEqual(20, len(names))
        self.assertEqual("20260107T000000Z-1.json.gz", names[0])
        self.assertTrue((folder / "mine.txt").exists())

    def test_the_run_stays_where_the_clock_was_once_fast(self):
        folder = self.folder / "fathom"
        folder.mkdir()
        for i in range(20):
            (folder / f"209901{i + 1:02}T000000Z-1.json.gz").write_bytes(b"")
        self.measure(XDG_STATE_HOME=str(self.folder))
        names = [path.name for path in self.runs()]
        self.assertEqual((20, "20990102T000000Z-1.json.gz"), (len(names), names[1]))
        self.assertLess(names[0], "2099")

    def test_where_none_can_be_kept_the_end_says_so(self):
        for where in ({}, {"HOME": __file__}, {"XDG_STATE_HOME": "relative"},
                      {"XDG_STATE_HOME": __file__}):
            with self.subTest(where=where):
                done = self.measure(**where)
                self.assertTrue(done.out.endswith("\nThis run is kept nowhere; -o RUN.json keeps one."
                                                  "\nEvery table and finding: fathom run --tables\n"), done.out)

    def test_show_without_any_run_is_a_mistake(self):
        for names in ([], ["sum"]):
            done = fathom.run("show", *names, XDG_STATE_HOME=str(self.folder))
            self.assert_one_line_error(done, 2, "no run was kept", "fathom run")

    def test_a_kept_file_that_is_no_run_is_a_mistake(self):
        folder = self.folder / "fathom"
        folder.mkdir()
        (folder / "20260101T000000Z-1.json.gz").write_bytes(b"no run")
        done = fathom.run("show", XDG_STATE_HOME=str(self.folder))
        self.assert_one_line_error(done, 2, "20260101T000000Z-1.json.gz")

    def test_json_is_the_run_file_on_the_standard_output(self):
        path = pathlib.Path(self.path("run.json"))
        path.write_text(self.measure("--json", "-o", self.path("too.json")).out, encoding="utf-8")
        self.assertEqual("complete", self.read_run(path)["status"])
        self.assertEqual(path.read_bytes(), pathlib.Path(self.path("too.json")).read_bytes())
        done = fathom.run("run", "--json", "--csv", "-")
        self.assert_one_line_error(done, 2, "--json", "--csv", "the same file")


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        for golden_name, golden_run in CARDS.items():
            (GOLDEN / f"{golden_name}.txt").write_text(card_of(REFERENCE / golden_run),
                                                       encoding="utf-8")
    else:
        fathom.main()
