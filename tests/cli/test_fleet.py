#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`fathom fleet`: which files it reads, what it says of them, its exit status and its outputs."""

import csv
import gzip
import html.parser
import json
import os
import pathlib
import random
import resource
import shutil
import subprocess
import unittest

import fathom

LONG = "FATHOM_LONG" in os.environ
REAL = os.environ["FATHOM_REAL"]
TRIAL = os.environ["FATHOM_FLEET_TRIAL"]
CARDS = 8


def check_file(host, seed, **changes):
    """The check file of a machine of 8 healthy cards, with `changes`: {index of a card: {…}}."""
    chance = random.Random(f"{host} {seed}")
    run = {"schema": "fathom-run/1", "status": "complete", "tool": {"version": "0.1.0"},
           "started": "2026-11-23T06:00:00Z", "host": {"name": host}, "devices": [], "results": [],
           "checks": []}
    for index in range(CARDS):
        value = 4.7e12 * chance.gauss(1, 0.003)
        figure = {"metric": "dram_read", "value": value, "low": value * 0.999, "high": value * 1.001,
                  "unit": "B/s", "expected": 4.7e12, "cards": 3, "basis": "reference",
                  "verdict": "ok"}
        run["devices"].append({"id": f"cuda:{index}", "name": "NVIDIA H200", "driver": "580.1"})
        run["checks"].append({"device": f"cuda:{index}", "index": index, "verdict": "healthy",
                              "code": "ok", "figures": [figure],
                              "state": {"memory_clock_hz": 3.2e9}})
        run["checks"][-1].update(changes.get(f"card{index}", {}))
    return run


class Page(html.parser.HTMLParser):
    """The elements of a page by name, and its text."""

    VOID = ("meta", "br")

    def __init__(self, text):
        super().__init__()
        self.open, self.count, self.text, self.outside = [], {}, "", []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.count[tag] = self.count.get(tag, 0) + 1
        self.outside += [value for name, value in attrs if name in ("src", "href")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_startendtag(self, tag, attrs):
        self.count[tag] = self.count.get(tag, 0) + 1

    def handle_data(self, data):
        self.text += data


class Fleet(fathom.Case):
    def write(self, name, document):
        path = self.folder / "checks" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(document if isinstance(document, str) else json.dumps(document),
                        encoding="utf-8")
        return str(path)

    def write_fleet(self, machines=20, **changed):
        for machine in range(machines):
            host = f"node{machine:03}"
            self.write(f"{host}.json", check_file(host, 1, **changed.get(host, {})))
        return str(self.folder / "checks")

    def test_a_healthy_fleet_gives_0(self):
        done = fathom.run("fleet", self.write_fleet())
        self.assertEqual((0, ""), (done.status, done.err))
        self.assertIn("20 machines, 160 cards, 20 files\n160 healthy: exit status 0\n", done.out)
        self.assertNotIn("Look at these first", done.out)

    def test_a_slow_card_gives_1_and_is_the_first_to_look_at(self):
        slow = check_file("node007", 1)["checks"][3]
        slow["figures"][0].update(value=4.4e12, low=4.396e12, high=4.404e12)
        slow["state"]["memory_clock_hz"] = 3.0e9
        done = fathom.run("fleet", self.write_fleet(node007={"card3": slow}))
        self.assertEqual((1, ""), (done.status, done.err))
        self.assertIn("  1. node007 card 3 · slow · memory-clock\n", done.out)
        self.assertRegex(done.out, r"DRAM read 4.400 TB/s, 6.\d % worse than the other cards: memory "
                                   r"clock 3000 of\s+3200 MHz")

    def test_a_broken_card_gives_1_and_a_busy_one_0(self):
        busy = {"verdict": "unknown", "code": "busy", "cause": "busy: pid 4711", "figures": []}
        folder = self.write_fleet(node003={"card1": busy})
        done = fathom.run("fleet", folder)
        self.assertEqual(0, done.status, done.out)
        self.assertIn("node003 card 1 · unknown · busy", done.out)
        hung = {"verdict": "broken", "code": "hung", "cause": "no answer for 20 s", "figures": []}
        self.write("node004.json", check_file("node004", 1, card5=hung))
        done = fathom.run("fleet", folder)
        self.assertEqual(1, done.status)
        self.assertIn("  1. node004 card 5 · broken · hung\n     no answer for 20 s\n"
                      "  2. node003 card 1 · unknown · busy\n", done.out)

    def test_files_that_cannot_be_used_are_named_and_left_out(self):
        folder = self.write_fleet()
        whole = json.dumps(check_file("node005", 1))
        self.write("cut.json", whole[:len(whole) // 2])
        self.write("empty.json", "")
        self.write("foreign.json", '{"results": []}')
        self.write("older.json", whole.replace("fathom-run/1", "fathom-run/0"))
        self.write("double.json", whole)
        self.write("stale.json", whole.replace("2026-11-23", "2026-11-01"))
        self.write("nothing.json", {"schema": "fathom-run/1", "status": "complete"})
        self.write("notes.txt", "not read")
        (self.folder / "checks" / "below").mkdir()
        (self.folder / "checks" / "damaged.json.gz").write_bytes(gzip.compress(b"{}")[:-6])
        done = fathom.run("fleet", folder)
        self.assertEqual((0, ""), (done.status, done.err))
        self.assertIn("20 machines, 160 cards, 20 files, 8 left out\n", done.out)
        text = " ".join(done.out.split())
        for name, why in (("cut.json", "cut short"), ("foreign.json", "not a run file of fathom"),
                          ("empty.json", ""), ("older.json", "its schema is fathom-run/0"),
                          ("stale.json", "has a later check of the same card"),
                          ("nothing.json", "neither checks nor figures"),
                          ("damaged.json.gz", "damaged")):
            self.assertRegex(text, f"checks/{name}: [^•]*{why}")
        self.assertIn("has the same check of the same card", text)
        self.assertNotIn("notes.txt", text)

    def test_what_is_no_regular_file_in_a_folder_is_left_out(self):
        folder = pathlib.Path(self.write_fleet())
        os.mkfifo(folder / "pipe.json")  # nobody writes to it
        (folder / "terminal.json").symlink_to("/dev/tty")
        (folder / "below.json").mkdir()
        (folder / "lost.json").symlink_to("nowhere")
        (folder / "link.json").symlink_to("node000.json")
        done = fathom.run("fleet", str(folder))
        self.assertEqual((0, ""), (done.status, done.err))
        self.assertIn("20 machines, 160 cards, 20 files, 5 left out\n", done.out)
        text = " ".join(done.out.split())
        for name in ("pipe", "terminal", "below"):
            self.assertIn(f"checks/{name}.json: it is no regular file", text)
        self.assertRegex(text, "checks/lost.json: [^•]*No such file")
        self.assertRegex(text, "the same check of the same card")

    def test_a_pipe_that_is_named_is_read(self):
        path = self.write("a.json", check_file("a", 1))
        done = subprocess.run(["bash", "-c", 'exec "$0" fleet <(cat "$1")', fathom.BINARY, path],
                              env=fathom.environment(), capture_output=True, text=True,
                              timeout=fathom.TIMEOUT_S, check=False)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        self.assertIn("1 machine, 8 cards, 1 file\n", done.stdout)

    def test_files_may_be_gzipped_and_named_one_by_one(self):
        for name in ("a", "b"):
            path = pathlib.Path(self.write(f"{name}.json", check_file(name, 1)))
            path.with_suffix(".json.gz").write_bytes(gzip.compress(path.read_bytes()))
        done = fathom.run("fleet", self.path("checks/a.json.gz"), self.path("checks/b.json.gz"))
        self.assertEqual(0, done.status, done.err)
        self.assertIn("2 machines, 16 cards, 2 files\n", done.out)

    def test_what_cannot_be_judged_is_a_usage_error(self):
        os.mkdir(self.path("none"))
        folder = self.write_fleet(2)
        for arguments, *parts in (
                ((), "expected check files or folders"),
                ((self.path("none"),), "has no file named *.json"),
                ((self.path("absent.json"),), "absent.json", "No such file"),
                (("can",), "the first, can: cannot read can: No such file"),
                (("",), "the first, : cannot read '': No such file"),
                ((self.write("x.txt", "{}"),), "no check in 1 file;", "x.txt: not a run file"),
                ((folder, "--csv", folder + "/node001.json"), "would replace that run file"),
                ((folder, "--csv", self.path("x"), "--html", self.path("x")), "the same file"),
                ((folder, "--csv", "-", "--json"), "the same file"),
                ((folder, "--html", self.path("none/absent/x")), "none/absent"),
                ((folder, "--group", "rack("), "--group rack(", "regular expression")):
            with self.subTest(arguments=arguments):
                self.assert_one_line_error(fathom.run("fleet", *arguments), 2, *parts)

    def test_machines_are_grouped_by_a_pattern(self):
        cold = {f"card{index}": {"figures": [{**check_file("", 1)["checks"][0]["figures"][0],
                                              "value": 4.65e12, "low": 4.645e12, "high": 4.655e12}]}
                for index in range(CARDS)}
        folder = self.write_fleet(40, **{f"node{machine:03}": cold for machine in range(10)})
        done = fathom.run("fleet", folder, "--group", "^node(0[0-3])", "--json")
        self.assertEqual("", done.err)
        self.assertIn("group 00", [group["name"] for group in json.loads(done.out)["groups"]])

    def test_json_has_the_whole_judgement(self):
        slow = {"verdict": "slow", "code": "link-width", "cause": "PCIe x8 instead of x16"}
        done = fathom.run("fleet", self.write_fleet(node002={"card0": slow, "card4": slow}), "--json")
        document = json.loads(done.out)
        self.assertEqual((1, 1), (done.status, document["exit_status"]))
        self.assertEqual("fathom-fleet/1", document["schema"])
        self.assertEqual(2, document["cards"]["slow"])
        self.assertEqual(("node002", "cards 0, 4", "slow", "link-width"), tuple(
            document["list"][0][name] for name in ("host", "cards", "grade", "code")))
        metric = document["kinds"][0]["metrics"][0]
        self.assertEqual(("dram_read", 158), (metric["metric"], metric["cards"]))
        self.assertTrue(0.01 < metric["smallest_loss"] < 0.04, metric)
        self.assertTrue(metric["percentile_1"] < metric["median"] < metric["percentile_99"])

    def test_csv_has_a_row_for_each_card_and_metric(self):
        hung = {"verdict": "broken", "code": "hung", "cause": "no answer, for 20 s", "figures": []}
        folder = self.write_fleet(node002={"card0": hung})
        done = fathom.run("fleet", folder, "--csv", self.path("fleet.csv"))
        with open(self.path("fleet.csv"), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(160, len(rows))
        self.assertEqual(("node002", "0", "", "", "broken", "hung", "no answer, for 20 s"), tuple(
            rows[16][name] for name in ("host", "index", "metric", "value", "verdict", "code",
                                        "cause")))
        self.assertEqual("dram_read", rows[17]["metric"])
        self.assertLess(abs(float(rows[17]["loss"])), 0.02)
        self.assertEqual(1, done.status)

    def test_the_page_has_each_card_and_no_markup_of_files(self):
        slow = {"verdict": "slow", "code": "link-width", "cause": "<script>alert(1)</script>"}
        folder = self.write_fleet(**{"node002": {"card0": slow}})
        self.write("bad.json", check_file("<b>&node", 1, card1=slow))
        done = fathom.run("fleet", folder, "--html", self.path("fleet.html"))
        self.assertEqual(1, done.status, done.err)
        page = Page(pathlib.Path(self.path("fleet.html")).read_text(encoding="utf-8"))
        self.assertEqual(([], []), (page.open, page.outside))
        self.assertEqual(21 * CARDS, page.count["rect"])
        self.assertEqual(21 * CARDS, page.count["circle"])
        self.assertNotIn("script", page.count)
        self.assertIn("<b>&node card 1", page.text)
        self.assertIn("Look at these first", page.text)

    def test_a_long_list_says_where_all_of_it_is(self):
        slow = {"verdict": "slow", "code": "link-width", "cause": "x"}
        folder = self.write_fleet(**{f"node{i:03}": {"card0": slow} for i in range(1, 9)})
        # The list on the screen is cut, as it is on the page.
        self.assertIn("\n     and 3 more: --csv and --json have them all\n",
                      fathom.run("fleet", folder).out)

    @unittest.skipUnless(shutil.which("mpirun"), "no mpirun")
    def test_eight_ranks_of_a_host_make_one_card(self):
        if fathom.run("help", "check", binary=REAL).status:
            self.skipTest("this fathom has no check")
        os.mkdir(self.path("checks"))
        # As in docs/FLEET.md: if one rank exits with a status other than 0, mpirun ends the others.
        script = (f"{REAL} check --quick -d model:{fathom.ROOT}/models/h200.json "
                  "-o 'checks/%h-%r.json' || true")
        subprocess.run(["mpirun", "--oversubscribe", "-np", "8", "sh", "-c", script], check=True,
                       cwd=self.folder, stdout=subprocess.DEVNULL, timeout=fathom.TIMEOUT_S,
                       env=fathom.environment(OMPI_ALLOW_RUN_AS_ROOT="1",
                                              OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                              # Keeps the lock of the host's checks in this folder:
                                              # no other test holds it.
                                              TMPDIR=str(self.folder)))
        done = fathom.run("fleet", "checks", cwd=self.folder, binary=REAL)
        self.assertEqual((0, ""), (done.status, done.err))
        self.assertIn("1 machine, 1 card, 8 files\n1 unknown: exit status 0\n", done.out)

    def test_a_card_is_known_by_its_uuid_and_without_one_by_its_index(self):
        def save(name, started, uuids):
            run = check_file("node001", 1)
            run["started"] = started
            del run["devices"][len(uuids):], run["checks"][len(uuids):]
            for check, uuid in zip(run["checks"], uuids):
                check.update({"uuid": uuid} if uuid else {})
            return self.write(name, run)

        old = save("old.json", "2026-11-22T06:00:00Z", "abcdefgh")
        for uuids, cards in (("bcdefgh", "b0 a0 c1 d2 e3 f4 g5 h6"),  # without a: new indices
                             ("bcdefg", "b0 a0 c1 d2 e3 f4 g5 h7"),
                             (["", "b", "c"], "0 b1 c2 d3 e4 f5 g6 h7")):
            with self.subTest(uuids=uuids):
                new = save("new.json", "2026-11-23T06:00:00Z", uuids)
                fathom.run("fleet", old, new, "--csv", self.path("fleet.csv"))
                with open(self.path("fleet.csv"), encoding="utf-8") as file:
                    self.assertEqual(cards, " ".join(row["uuid"] + row["index"]
                                                     for row in csv.DictReader(file)))

    def test_a_thousand_files_take_little_time_and_memory(self):
        machines = 1000 if LONG else 200
        subprocess.run([TRIAL, "write", "3", str(machines), "2", str(self.folder)], check=True)
        done, seconds = fathom.cpu_seconds("fleet", str(self.folder))
        self.assertEqual(1, done.status, done.err)
        self.assertIn(f"{machines} machines, {machines * CARDS} cards", done.out)
        self.assertLess(seconds, 5)
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, 400 * 1000)


if __name__ == "__main__":
    fathom.main()
