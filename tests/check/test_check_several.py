#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""fathom check on several devices or from several ranks of a job, and the state of a card."""

import contextlib
import json
import os
import pathlib
import signal
import time

import fathom
from checks import (BROKEN, Checks, INTERRUPTED, NO_DEVICE, SLOW, UNKNOWN, USAGE, children,
                    holds_lock_file, wait_for_child, wait_until)


class Ranks(Checks):
    def start(self, rank, *arguments, **variables):
        return fathom.start("check", *arguments, "-o", self.path("rank-%r.json"),
                            variables={"SLURM_PROCID": str(rank), **variables})

    def checks_of(self, processes, status):
        for process in processes:
            self.assertEqual(status, process.wait(timeout=fathom.TIMEOUT_S))
            process.communicate()
        return [self.read_run(self.path(f"rank-{rank}.json"))["checks"][0]
                for rank in range(len(processes))]

    def test_ranks_of_a_host_share_one_check(self):
        model = self.model("healthy.json")
        first = self.start(0, "-d", model)
        child = wait_for_child(first)
        os.kill(child, signal.SIGSTOP)
        others = [self.start(rank, "-d", model) for rank in (1, 2)]
        for other in others:
            wait_until(lambda other=other: holds_lock_file(other))
        os.kill(child, signal.SIGCONT)
        checks = self.checks_of([first, *others], UNKNOWN)
        self.assertEqual([None, True, True], [check.get("shared_check") for check in checks])
        self.assertEqual(checks[0]["figures"], checks[1]["figures"])
        self.assertEqual(checks[0]["figures"], checks[2]["figures"])

    def test_a_rank_that_comes_later_or_asks_for_more_measures_itself(self):
        model = self.model("healthy.json")
        first = self.checks_of([self.start(0, "-d", model)], UNKNOWN)[0]
        second = self.checks_of([self.start(0, "-d", model)], UNKNOWN)[0]
        self.assertNotIn("shared_check", second)
        self.assertEqual(len(first["figures"]), len(second["figures"]))

    def test_a_rank_that_was_given_other_cards_measures_itself(self):
        model = self.model("healthy.json")
        first = self.start(0, "-d", model, CUDA_VISIBLE_DEVICES="0")
        child = wait_for_child(first)
        os.kill(child, signal.SIGSTOP)
        second = self.start(1, "-d", model, CUDA_VISIBLE_DEVICES="1")
        wait_until(lambda: holds_lock_file(second))
        os.kill(child, signal.SIGCONT)
        for check in self.checks_of([first, second], UNKNOWN):
            self.assertNotIn("shared_check", check)

    def test_a_rank_that_names_a_file_of_another_folder_measures_itself(self):
        processes = []
        for rank, name in enumerate(("one", "two")):
            folder = self.folder / name
            folder.mkdir()
            os.rename(self.model(f"{name}.json").removeprefix("model:"), folder / "card.json")
            processes.append(fathom.start("check", "-d", "model:card.json", "-o",
                                          self.path(f"rank-{rank}.json"), cwd=folder))
            if rank == 0:
                child = wait_for_child(processes[0])
                os.kill(child, signal.SIGSTOP)
        wait_until(lambda: holds_lock_file(processes[1]))
        os.kill(child, signal.SIGCONT)
        for check in self.checks_of(processes, UNKNOWN):
            self.assertNotIn("shared_check", check)

    def test_a_rank_whose_holder_was_killed_measures_itself(self):
        model = self.model("healthy.json")
        first = self.start(0, "-d", model)
        os.kill(wait_for_child(first), signal.SIGSTOP)
        second = self.start(1, "-d", model)
        wait_until(lambda: holds_lock_file(second))
        first.kill()
        first.communicate()
        self.assertEqual(UNKNOWN, second.wait(timeout=fathom.TIMEOUT_S))
        second.communicate()
        (check,) = self.read_run(self.path("rank-1.json"))["checks"]
        self.assertNotIn("shared_check", check)
        self.assertEqual("no-expectation", check["code"])

    def test_with_local_rank_each_takes_its_own_card(self):
        models = ["-d", self.model("a.json"), "-d", self.model("b.json"), "--local-rank",
                  "--expect-count", "2"]  # the cards of other ranks do not count as missing
        processes = [self.start(rank, *models, SLURM_LOCALID=str(rank)) for rank in (0, 1)]
        checks = self.checks_of(processes, UNKNOWN)
        self.assertEqual(["model:0", "model:1"], [check["device"] for check in checks])
        self.assertTrue(all("shared_check" not in check for check in checks))

    def test_a_local_rank_without_a_card(self):
        arguments = ("check", "-d", self.model("a.json"), "--local-rank")
        self.assert_one_line_error(fathom.run(*arguments), USAGE, "SLURM_LOCALID")
        self.assert_one_line_error(fathom.run(*arguments, SLURM_LOCALID="1"), NO_DEVICE,
                                   "rank 1, but 1 GPU")

    def test_a_rank_that_was_given_one_card_takes_that(self):
        process = self.start(0, "-d", self.model("a.json"), "--local-rank", SLURM_LOCALID="1",
                             CUDA_VISIBLE_DEVICES="1")
        (check,) = self.checks_of([process], UNKNOWN)
        self.assertEqual("model:0", check["device"])


class SeveralDevices(Checks):
    """Two or three devices of the double of libcuda. Only transfer can be measured on them."""

    def variables(self, count=2, **more):
        return {"LD_LIBRARY_PATH": os.environ["CUDA_DOUBLE"], "FAKE_CUDA_DEVICES": str(count),
                "FAKE_CUDA_KERNELS": "transfer", "FAKE_CUDA_MEMORY_MIB": "24", **more}

    def devices(self, count=2):
        return [word for i in range(count) for word in ("-d", f"cuda:{i}")]

    def figures(self, check):
        return {(figure["metric"], figure.get("peer")): figure for figure in check["figures"]}

    def test_each_link_is_measured_alone_and_all_at_once(self):
        checks, done = self.check(UNKNOWN, *self.devices(3), **self.variables(3))
        measured = [one for one in self.run_file["results"]
                    if one["benchmark"] == "transfer" and "bandwidth" in str(one["metrics"])]
        self.assertEqual({f"{part}/from=cuda:{a}/to=cuda:{b}" for a in range(3) for b in range(3)
                          for part, is_planned in (("direction=peer", a != b),
                                                   ("direction=peer/engine=target", a != b),
                                                   ("direction=peer/ways=both", a < b))
                          if is_planned} | {"direction=peer/ways=all"},
                         {one["key"].partition("/")[2].rpartition("/")[0]
                          for one in self.run_file["results"] if "direction=peer" in one["key"]})
        # A busy machine may leave no time for some figures.
        for index, check in enumerate(checks):
            figures = self.figures(check)
            own = [one for one in measured if one["device"] == check["device"] and
                   one["case"]["direction"] != "peer"]
            pairs = [one for one in measured if one["case"].get("from") != one["case"].get("to")
                     and check["device"] in (one["case"]["to"] if one["case"].get("engine") else
                                             one["case"]["from"], one["case"]["to"]
                                             if one["case"].get("ways") else "")]
            every = [one for one in measured if one["case"].get("ways") == "all"]
            self.assertEqual(len(own) + len(pairs) + len(every), len(figures))
            self.assertTrue(all(figure["value"] > 0 for figure in figures.values()))
            self.assertTrue(all(("peer" in figure) == (figure["metric"] in (
                "peer", "peer_read", "peer_both")) and figure.get("peer") != index
                for figure in figures.values()))
        self.assertIn("Host link to device ", done.out)
        together = [one for one in self.run_file["results"] if one["case"].get("together")]
        self.assertEqual(["cuda:1,cuda:2", "cuda:0,cuda:2", "cuda:0,cuda:1"],
                         [one["case"]["with"] for one in together])

    def test_some_devices_of_more_are_measured_among_themselves(self):
        checks, _ = self.check(UNKNOWN, "-d", "cuda:1", "-d", "cuda:2", **self.variables(3))
        for check, other in zip(checks, (2, 1)):
            self.assertEqual({other}, {figure["peer"] for figure in check["figures"]
                                       if "peer" in figure})
            self.assertNotIn("peer_all", [figure["metric"] for figure in check["figures"]])

    def test_one_device_and_a_quick_check_have_no_pairs(self):
        for arguments in (("-d", "cuda:0"), ("--quick", *self.devices())):
            self.check(UNKNOWN, *arguments, **self.variables())
            # Cases for which a busy machine had no time are among the results, too.
            cases = [one["case"] for one in self.run_file["results"]
                     if one["benchmark"] == "transfer"]
            self.assertEqual({"h2d", "d2h"} | (set() if "--quick" in arguments else {"both"}),
                             {case["direction"] for case in cases})
            self.assertFalse(any(case.get("together") for case in cases))

    def test_a_slow_link_between_devices_is_named(self):
        self.check(UNKNOWN, *self.devices(), **self.variables())
        document = json.loads(pathlib.Path(self.path("check.json")).read_text(encoding="utf-8"))
        for result in document["results"]:
            fast = result["key"].startswith("transfer/direction=peer/from=cuda:0/to=cuda:1/")
            for metric in result["metrics"]:
                if metric["name"] == "bandwidth":  # only the fast link is expected to be fast
                    metric["median"] *= 1000 if fast else 0.001
        own = self.path("own.json")
        pathlib.Path(own).write_text(json.dumps(document), encoding="utf-8")
        checks, _ = self.check(SLOW, *self.devices(), "--expect", own, **self.variables())
        self.assertEqual([("slow", "below-expectation"), ("healthy", "ok")],
                         [(check["verdict"], check["code"]) for check in checks])
        self.assertRegex(checks[0]["cause"], r"^Copy to GPU 1: [0-9.]+ of [0-9.]+ TB/s: ")
        slow = self.figures(checks[0])["peer", 1]
        self.assertEqual(("own", "slow"), (slow["basis"], slow["verdict"]))

    def test_data_lost_between_devices_are_wrong_results(self):
        checks, _ = self.check(BROKEN, *self.devices(), **self.variables(FAKE_CUDA_PEERS_LOSE="0"))
        self.assertEqual({("broken", "wrong-results")},
                         {(check["verdict"], check["code"]) for check in checks})
        self.assertIn("transfer/direction=peer/", checks[0]["cause"])

    def at_once(self, signal_number):
        """Sends the signal to each worker as soon as it is seen; returns status and checks. The
        first worker may still look for other work on its device: its figures count."""
        process = fathom.start("check", *self.devices(), "--silence-limit", "5", "-o",
                               self.path("check.json"), variables=self.variables())
        hit = set()
        while process.poll() is None:
            for worker in set(children(process, b"__worker")) - hit:
                hit.add(worker)
                with contextlib.suppress(ProcessLookupError):  # the worker has ended
                    os.kill(worker, signal_number)
            time.sleep(0.005)
        process.communicate()
        return process.returncode, self.read_run(self.path("check.json"))["checks"]

    def test_a_device_that_hangs_among_others_is_broken(self):
        status, checks = self.at_once(signal.SIGSTOP)
        self.assertEqual(BROKEN, status)
        self.assertIn(("broken", "hung"), [(one["verdict"], one["code"]) for one in checks])

    def test_a_worker_that_dies_among_others_is_broken(self):
        status, checks = self.at_once(signal.SIGKILL)
        self.assertEqual(BROKEN, status)
        self.assertIn(("broken", "lost"), [(one["verdict"], one["code"]) for one in checks])

    def test_a_signal_ends_the_measurement_of_all(self):
        process = fathom.start("check", *self.devices(), variables=self.variables())
        os.kill(wait_for_child(process, b"__worker"), signal.SIGSTOP)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=fathom.TIMEOUT_S)
        self.assertEqual(INTERRUPTED, process.returncode)
        self.assertEqual([], children(process) + children(process, b"__worker"))


class States(Checks):
    """A device of the double of libcuda; the double of NVML makes up its state."""

    def variables(self, wrong):
        return {"FAKE_CUDA_KERNELS": "transfer", "FAKE_CUDA_MEMORY_MIB": "24",
                "NVML_DOUBLE_ANY": "1", "NVML_DOUBLE": wrong, "LD_LIBRARY_PATH":
                f"{os.environ['CUDA_DOUBLE']}:{os.environ['NVML_DOUBLE_FOLDER']}"}

    def test_half_of_a_link_is_slow_and_the_state_of_the_card_is_kept(self):
        (check,), _ = self.check(SLOW, "--quick", "-d", "cuda", **self.variables("half"))
        self.assertEqual(("slow", "link-width", "PCIe x8 instead of x16"),
                         (check["verdict"], check["code"], check["cause"]))
        state = check["state"]
        self.assertEqual((8, 16, 5, 5), tuple(state["link_" + name] for name in (
            "width", "width_max", "generation", "generation_max")))
        self.assertEqual((312.5, 700, 41), (state["power_w"], state["power_limit_w"],
                                            state["temperature_c"]))
        self.assertEqual([0] * 5, [state[name] for name in (
            "ecc_corrected", "ecc_uncorrected", "link_replays", "nvlink_replays",
            "nvlink_recoveries")])
        self.assertEqual((4, 4, 1, 3, 0, 0), tuple(state[name] for name in (
            "nvlinks", "nvlinks_active", "ecc_enabled", "remapped_rows", "remap_pending",
            "remap_failed")))
        self.assertEqual("96.00.74.00.01", state["vbios"])

    def test_errors_that_the_driver_counts_are_broken(self):
        for wrong, cause in (("rows", "no spare row is left"),
                             ("uncorrected", r"[1-9]\d* uncorrected ECC error"),
                             ("recovers", r"[1-9]\d* NVLink retraining")):
            with self.subTest(wrong=wrong):
                (check,), _ = self.check(BROKEN, "--quick", "-d", "cuda", **self.variables(wrong))
                self.assertEqual(("broken", "errors"), (check["verdict"], check["code"]))
                self.assertRegex(check["cause"], cause)

    def test_an_error_while_the_card_is_heated_is_broken(self):
        (check,), _ = self.check(BROKEN, "--quick", "--soak", "1", "-d", "cuda",
                                 **self.variables("once"))
        self.assertEqual("1 uncorrected ECC error during the check", check["cause"])


if __name__ == "__main__":
    fathom.main()
