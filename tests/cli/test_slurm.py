#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The Slurm recipes of the manuals, on a Slurm of two nodes that are both this machine. Slurm runs
in a folder of its own, without root, munge or a database."""

import os
import pathlib
import shutil
import socket
import subprocess
import sys
import textwrap
import time
import unittest

import fathom

REAL = os.environ["FATHOM_REAL"]
# Debian's daemons are in /usr/sbin, which is not in every user's path.
PATH = os.environ["PATH"] + ":/usr/sbin"
TOOLS = ("slurmctld", "slurmd", "srun", "sinfo", "scontrol")
GPUS = 8

CONFIGURATION = """\
ClusterName=fathom
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={ports[0]}
AuthType=auth/none
CredType=cred/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
KillOnBadExit=1
GresTypes=gpu
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} Gres=gpu:{gpus}
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} Gres=gpu:{gpus}
PartitionName=all Nodes=ALL Default=YES State=UP
{more}
"""


def examples(manual, begin):
    """The indented lines after the line that begins so."""
    text = (fathom.ROOT / "docs" / manual).read_text(encoding="utf-8")
    lines = text[text.index("\n" + begin) + 1:].partition("\n\n")[2].splitlines()
    end = next(i for i, line in enumerate(lines) if line and not line.startswith("    "))
    return textwrap.dedent("\n".join(lines[:end]))


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Slurm(fathom.Case):
    def start(self, more=""):
        """Starts the daemons, and waits until both nodes are idle."""
        for name in ("state", "spool.n1", "spool.n2", "bin"):
            os.mkdir(self.path(name))
        for i in range(GPUS):
            pathlib.Path(self.path(f"gpu{i}")).touch()
        pathlib.Path(self.path("gres.conf")).write_text(
            f"NodeName=n[1-2] Name=gpu File={self.folder}/gpu[0-{GPUS - 1}]\n", encoding="utf-8")
        pathlib.Path(self.path("slurm.conf")).write_text(CONFIGURATION.format(
            host=os.uname().nodename.partition(".")[0], folder=self.folder, ports=free_ports(3),
            user=os.getuid(), gpus=GPUS, more=more), encoding="utf-8")
        for daemon in (["slurmctld", "-D"], ["slurmd", "-D", "-N", "n1"],
                       ["slurmd", "-D", "-N", "n2"]):
            self.addCleanup(self.end, subprocess.Popen(
                daemon, env=self.environment(), stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL))
        self.wait_for("n1 idle", "n2 idle")

    def end(self, daemon):
        daemon.terminate()
        try:
            daemon.wait(30)
        except subprocess.TimeoutExpired:
            daemon.kill()
            daemon.wait()

    def environment(self):
        # Keeps the lock of the host's checks in this folder: no other test holds it.
        return fathom.environment(SLURM_CONF=self.path("slurm.conf"), TMPDIR=str(self.folder),
                                  PATH=f"{self.folder}/bin:{PATH}")

    def shell(self, script):
        return fathom.Outcome(subprocess.run(
            ["sh", "-c", script], cwd=self.folder, env=self.environment(), capture_output=True,
            text=True, timeout=fathom.TIMEOUT_S, check=False))

    def wait_for(self, *nodes):
        """Waits until Slurm reports these states of its nodes: "n1 idle"."""
        deadline = time.monotonic() + fathom.TIMEOUT_S
        while True:
            now = self.shell("sinfo --noheader --Node --format '%N %t'")
            if list(nodes) == [line.strip() for line in now.out.splitlines()]:
                return
            if time.monotonic() > deadline:
                logs = "".join(path.read_text(encoding="utf-8", errors="replace")
                               for path in self.folder.glob("*.log"))
                self.fail(f"{now.out}{now.err} instead of {nodes}:\n{logs}")
            time.sleep(0.1)

    def install(self, script, name="bin/fathom"):
        path = pathlib.Path(self.path(name))
        path.write_text("#!/bin/sh\n" + script, encoding="utf-8")
        path.chmod(0o755)

    def install_with_model(self):
        self.install('[ "$1" = check ] && set -- "$@" --quick '
                     f'-d "model:{fathom.ROOT}/models/h200.json"\nexec "{REAL}" "$@"\n')

    def assert_files(self, ranks):
        """Checks that each rank has left a file, with the check of the one card."""
        host = os.uname().nodename
        cards = {path.name: len(self.read_run(path)["checks"])
                 for path in self.folder.glob("checks/*")}
        self.assertEqual({f"{host}-{rank}.json": 1 for rank in range(ranks)}, cards)

    def test_the_recipe_for_a_fleet_starts_one_rank_a_node(self):
        if fathom.run("help", "check", binary=REAL).status:
            self.skipTest("this fathom has no check")
        self.start()
        self.install_with_model()
        recipe = examples("FLEET.md", "One rank on each")
        self.assertIn("--nodes=100 ", recipe)
        done = self.shell(recipe.replace("--nodes=100 ", "--nodes=2 "))
        self.assertEqual(0, done.status, done.err)
        self.assertIn("1 machine, 1 card, 2 files\n1 unknown: exit status 0\n", done.out)
        self.assert_files(2)
        self.assertTrue(os.path.exists(self.path("fleet.html")))

    def test_eight_ranks_of_a_node_leave_a_file_each(self):
        if fathom.run("help", "check", binary=REAL).status:
            self.skipTest("this fathom has no check")
        self.start()
        self.install_with_model()
        recipe = examples("CHECK.md", "In a job")
        done = self.shell(recipe.replace("srun ", "srun --ntasks=8 --overcommit --nodelist=n1 "))
        self.assertEqual(5, done.status, done.err)
        self.assert_files(8)

    def drain_with(self, which, more, ran):
        """For each exit status of the check: what a job prints, and its node's state."""
        recipe = examples("CHECK.md", "As `Prolog`").partition("\n")[2]
        self.assertIn("\n/usr/local/bin/fathom ", "\n" + recipe)
        self.install(recipe.replace("/usr/local/bin/", f"{self.folder}/bin/")
                     .replace("/run/", f"{self.folder}/"), "node-check")
        self.start(f"{which}={self.folder}/node-check\n{more}")
        for status, state in ((0, "idle"), (5, "idle"), (1, "drain"), (4, "drain")):
            with self.subTest(status=status):
                self.install(f'echo "$@"\nexit {status}\n')
                job = self.shell("srun --nodelist=n1 echo the job ran")
                self.wait_for("n1 " + state, "n2 idle")
                self.assertEqual("the job ran\n" if ran(state) else "", job.out, job.err)
                self.assertEqual("check --quick --expect-count 8\n", pathlib.Path(
                    self.path("fathom-check.txt")).read_text(encoding="utf-8"))
                os.remove(self.path("fathom-check.txt"))
                self.shell("scontrol update nodename=n1 state=resume")
                self.wait_for("n1 idle", "n2 idle")

    def test_a_prolog_drains_the_node_of_a_slow_or_broken_card_before_the_job(self):
        flags = examples("CHECK.md", "In slurm.conf").splitlines()[1]
        self.assertTrue(flags.startswith("PrologFlags="), flags)
        self.drain_with("Prolog", flags, lambda state: state == "idle")

    def test_an_epilog_drains_the_node_of_a_slow_or_broken_card_after_the_job(self):
        self.drain_with("Epilog", "", lambda state: True)


if __name__ == "__main__":
    if not all(shutil.which(tool, path=PATH) for tool in TOOLS):
        print("skipped: no Slurm here (Debian: slurmctld slurmd slurm-client)")
        sys.exit(77)
    fathom.main()
