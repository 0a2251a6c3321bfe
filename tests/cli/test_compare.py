#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`fathom compare`: exit statuses that a job can rely on, three forms of output, and mistakes."""

import itertools
import json

import fathom


class Compare(fathom.Case):
    def setUp(self):
        super().setUp()
        self.base = self.path("base.json")
        done = fathom.run("run", "--preset", "quick", "--seed", "1", "-o", self.base)
        self.assertEqual(0, done.status, done.err)

    def changed(self, factor):
        """A copy of the run in which every latency is `factor` times as long."""
        document = self.read_run(self.base)
        for result in document["results"]:
            for metric in result["metrics"]:
                if metric["name"] == "latency":
                    metric["median"] *= factor
                    metric["ci95"] = [factor * bound for bound in metric["ci95"]]
                    metric["rounds"] = [factor * one for one in metric["rounds"]]
        path = self.path(f"times-{factor}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
        return path

    def test_a_run_is_the_same_as_itself(self):
        done = fathom.run("compare", self.base, self.base)
        self.assertEqual((0, ""), (done.status, done.err))

    def test_slower_is_exit_1_and_faster_is_not(self):
        slower = fathom.run("compare", self.base, self.changed(1.1))
        self.assertEqual(1, slower.status)
        self.assertRegex(slower.out, r"^2 of \d+ values got slower by more than 2%, the largest change "
                                     r"is \+10.0%: exit status 1\.\n")
        self.assertIn("chase", slower.out.split("Slower (2)\n")[1])
        self.assertEqual(0, fathom.run("compare", self.base, self.changed(0.9)).status)

    def test_a_slower_case_that_is_suspect_counts_only_with_strict(self):
        path = self.changed(1.1)
        document = self.read_run(path)
        for result in document["results"]:
            result["verdict"] = "suspect"
            result["reasons"] = [{"code": "shared-device", "text": "other work used the device"}]
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
        for options, status in (((), 0), (("--strict",), 1)):
            with self.subTest(options=options):
                done = fathom.run("compare", self.base, path, *options)
                self.assertEqual((status, ""), (done.status, done.err))
                verdict = " ".join(done.out.split())
                self.assertIn("; 2 of them are suspect", verdict)
                self.assertIn(f": exit status {status}. ", verdict)
                self.assertEqual(bool(status), json.loads(
                    fathom.run("compare", self.base, path, "--json", *options).out)["regressed"])

    def test_what_lies_below_the_threshold_does_not_count(self):
        path = self.changed(1.04)
        for threshold, status in (("2%", 1), ("0.02", 1), ("10%", 0), ("0.1", 0)):
            done = fathom.run("compare", self.base, path, "--threshold", threshold)
            self.assertEqual(status, done.status, threshold)

    def test_two_healthy_cards_of_one_model_are_no_regression(self):
        reference = fathom.ROOT / "reference"
        cards = {}
        for entry in json.loads((reference / "index.json").read_text(encoding="utf-8"))["runs"]:
            if entry["preset"] == "standard" and len(entry.get("uuids", ())) == 1:
                cards.setdefault((entry["match"], entry["api"]), []).append(entry)
        compared, enough = 0, 1 if fathom.is_sampled() else 1000
        for one, other in (pair for runs in cards.values() for pair in itertools.combinations(runs, 2)):
            if one["uuids"] == other["uuids"] or not set(one["benchmarks"]) & set(other["benchmarks"]):
                continue
            if compared == enough:
                break
            with self.subTest(base=one["file"], new=other["file"]):
                done = fathom.run("compare", reference / one["file"], reference / other["file"], "--json")
                if "nothing is comparable" in done.err:
                    continue
                document = json.loads(done.out)
                self.assertEqual(("", 1), (done.err, document["other_cards"]))
                # Other cards may not be faster either, because in the exchanged comparison they
                # would be slower. Cases that a run calls suspect do not count.
                self.assertEqual([], [row["key"] for row in document["rows"]
                                      if row["word"] in ("slower", "faster") and not row.get("suspect")])
                compared += 1
        self.assertGreaterEqual(compared, min(enough, 4))

    def test_another_card_is_named(self):
        document = self.read_run(self.base)
        for device in document["devices"]:
            device["uuid"] = "0123456789abcdef" * 2
        path = self.path("other-card.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
        for form in ([], ["--markdown"]):
            self.assertIn("another card of the same model",
                          fathom.run("compare", self.base, path, *form).out)
            self.assertNotIn("another card", fathom.run("compare", self.base, self.base, *form).out)

    def many(self, count, salt):
        """A run of `count` devices with a case each. Another salt gives other cards."""
        document = self.read_run(self.base)
        device, result = document["devices"][0], document["results"][0]
        document["devices"] = [{**device, "id": f"fake:{i}", "uuid": f"{i * 7919 % count + salt:032x}"}
                               for i in range(count)]
        document["results"] = [{**result, "device": f"fake:{i}"} for i in range(count)]
        path = self.path(f"many-{count}-{salt}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
        return path

    def test_the_time_grows_as_the_number_of_devices(self):
        for salt in (0, 1 << 40):  # the same cards in another order, then other cards
            taken = []
            for count in (500, 4000):
                base, new = self.many(count, 1), self.many(count, salt)
                done, seconds = fathom.cpu_seconds("compare", base, new)
                self.assertEqual((0, ""), (done.status, done.err))
                taken.append(seconds)
            self.assertLess(taken[1], 24 * taken[0])  # 64 times if it grew as the square

    def test_json_and_markdown(self):
        path = self.changed(1.1)
        document = json.loads(fathom.run("compare", self.base, path, "--json").out)
        self.assertEqual("fathom-compare/1", document["schema"])
        self.assertEqual(2, document["counts"]["slower"])
        self.assertIn("|", fathom.run("compare", self.base, path, "--markdown").out)

    def test_with_a_reference_run(self):
        with open(self.path("index.json"), "w", encoding="utf-8") as file:
            json.dump({"schema": "fathom-reference/1", "runs": [
                {"file": "base.json", "match": "Fake Sounder", "api": "fake",
                 "preset": "quick"}]}, file)
        place = {"FATHOM_REFERENCE": str(self.folder)}
        done = fathom.run("compare", "--reference", self.changed(1.1), **place)
        self.assertEqual(1, done.status, done.err)
        other = self.path("other.json")
        fathom.run("run", "sum", "--preset", "quick", "-d", "fake:1", "-o", other)
        self.assert_one_line_error(fathom.run("compare", "--reference", other, **place), 2,
                                   "Fake Sounder")

    def test_mistakes_are_one_line(self):
        broken = self.path("broken.json")
        with open(broken, "w", encoding="utf-8") as file:
            file.write('{"schema":"fathom-run/1",')
        for arguments, parts in (
                ([], ["two run files"]),
                ([self.base], ["two run files", "--reference"]),
                (["--reference"], ["one run file"]),
                (["--reference", self.base, self.base], ["one run file"]),
                ([self.base, self.path("missing.json")], ["missing.json", "No such file"]),
                ([self.base, broken], ["broken.json"]),
                ([self.base, self.base, "--threshold", "2x"], ["--threshold 2x", "2%"]),
                ([self.base, self.base, "--threshold", "0"], ["--threshold 0"]),
                ([self.base, self.base, "--json", "--markdown"], ["--markdown"]),
                (["--reference", self.base], ["FATHOM_REFERENCE"])):
            with self.subTest(arguments=arguments):
                place = {"FATHOM_REFERENCE": ""}
                outcome = fathom.run("compare", *arguments, **place)
                if arguments == ["--reference", self.base] and "FATHOM_REFERENCE" not in outcome.err:
                    self.assertEqual(2, outcome.status)  # this tree has reference runs
                    continue
                self.assert_one_line_error(outcome, 2, *parts)


class ApisSideBySide(fathom.Case):
    def test_one_chip_through_two_apis_ends_in_a_table(self):
        done = fathom.run("run", "--preset", "quick", "--api", "all")
        self.assertEqual(0, done.status)
        self.assertIn("mirror", done.out.split("0 failed", maxsplit=1)[0])


if __name__ == "__main__":
    fathom.main()
