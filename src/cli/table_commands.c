// SPDX-License-Identifier: MIT
#include "cli/table.h"

#include <stdint.h>

const struct command_info command_table[COMMAND_COUNT] = {
    [COMMAND_DEVICES] =
        {
            .name = "devices",
            .summary = "Show the devices of every API, and why an API has none",
            .detail =
                "Lists the devices of Vulkan, CUDA and OpenCL without opening any. If an API "
                "has no device, or no API can open a GPU of this machine, it says why and "
                "what to do. --counters opens each device and lists its hardware counters, or "
                "says what they need.",
            .examples = {"fathom devices\twhat can be measured here",
                         "fathom devices --json\tthe same for a program",
                         "fathom devices --counters\twhat `run --counters` would count"},
        },
    [COMMAND_LIST] =
        {
            .name = "list",
            .operands = "[BENCHMARK]",
            .operand_kind = WORD_BENCHMARK,
            .operand_max = 1,
            .summary = "Show the benchmarks, their parameters and presets",
            .detail =
                "Without a name: every benchmark with one line about it, and the time that each "
                "preset takes. With a name: what it "
                "measures, its metrics, and each parameter with its values in every preset.",
            .examples = {"fathom list\tevery benchmark, and the time that each preset takes",
                         "fathom list latency\twhat latency measures, and its parameters"},
        },
    [COMMAND_RUN] =
        {
            .name = "run",
            .operands = "[BENCHMARK…]",
            .operand_kind = WORD_BENCHMARK,
            .operand_max = 64,
            .summary = "Measure, show the results and write the run file",
            .detail =
                "Runs the named benchmarks, or all of them, on the best device or on those "
                "chosen with -d. Ends with the card: the dozen figures that tell most about the "
                "device, their share of the limit, and those of a known card. A figure in "
                "parentheses is not trusted; the line below it says why. On a terminal the card "
                "fills while the run goes on.\n"
                "Results go to the standard output, progress goes to the terminal. The run file "
                "keeps every result and how it was measured. Without -o it is kept below "
                "$XDG_STATE_HOME or ~/.local/state, the last 20 runs, and `fathom show` prints "
                "the last. Every command that reads run files takes gzipped ones. A file named - "
                "is the standard output, which then has no tables.\n"
                "DEVICE is an id (vulkan:0), an API (cuda), a part of a name, a UUID or all. "
                "By default a discrete GPU is preferred to an integrated one and that to a "
                "CPU; and Vulkan to CUDA and that to OpenCL.\n"
                "Values for --set: numbers or words, separated by commas; a range A..B/N has N "
                "points per octave, a range A..B+S has steps of S; bytes are written 32KiB, "
                "4GiB or max. --set can be repeated for other parameters. Without a benchmark's "
                "name it applies to "
                "every benchmark that has the parameter.\n"
                "Each driver is loaded and each device is measured in a separate process: if a "
                "driver crashes or hangs, its API is left out or one case fails, and the run "
                "goes on.\n"
                "Other work on the device changes what is measured. fathom looks for it before the "
                "first case and between cases, measures again what it disturbed, and calls the "
                "result suspect (shared-device) if that does not help. --wait-idle waits for the "
                "device before the first case; if other work still runs after that time, fathom "
                "says so and measures all the same.\n"
                "--counters adds one visit to each case, in which the device's counters run, and "
                "compares what they say with what the benchmark claims; that visit gives no time. "
                "Counters are read through CUDA and Vulkan; docs/COUNTERS.md says what they need.",
            .examples =
                {"fathom run --preset quick\tevery benchmark on the best GPU, some seconds each",
                 "fathom run latency bandwidth -o run.json\ttwo benchmarks, and a run file",
                 "fathom run latency --set path=vector,shared --set bytes=4KiB..1MiB/2\tchosen "
                 "values: two paths, two sizes per octave",
                 "fathom run stream -d cuda --wait-idle 60 --html run.html\tthrough CUDA, when the "
                 "GPU is idle; with a page"},
        },
    [COMMAND_MAP] =
        {
            .name = "map",
            .summary = "Find the memory hierarchy by measurement",
            .detail =
                "Measures latency by working set, with more points where a level ends, and "
                "draws the hierarchy: the number of caches, the size, latency, bandwidth and "
                "line of each, the memory behind them, the reach of address translation and the "
                "instruction cache, beside the sizes that the driver or the data sheet states. A "
                "value that cannot be determined is called unknown, with the reason.\n"
                "The levels are results of a benchmark `map` in the run file, beside the "
                "latencies and bandwidths that they come from. report and compare read it like "
                "any other run.\n"
                "--set clock=1200,1500,1980 measures each level with the core clock locked to "
                "these frequencies in MHz, and so shows which clock the level runs by. The "
                "machine must permit it (NVIDIA through NVML, AMD through sysfs; mostly for "
                "root only). fathom refuses if another process uses the card, and it restores "
                "the clock however it ends. NVIDIA's driver does not report a lock that existed "
                "before: that lock is lost. Without this option fathom never sets a clock.",
            .examples =
                {"fathom map -o map.json\tthe memory hierarchy as a picture, and a run file",
                 "fathom map -d cuda --html map.html\tthrough CUDA, with a page"},
        },
    [COMMAND_SHOW] =
        {
            .name = "show",
            .operands = "[RUN.json] [BENCHMARK…]",
            .operand_kind = WORD_FILE,
            .operand_max = 64,
            .summary = "Show the results of a run again",
            .detail = "Prints the card, every table and every finding of a run file, or the tables "
                      "of the named benchmarks only. Without a file it shows the last run that was "
                      "measured without -o. The options write other forms of the whole run. "
                      "If a file is named -, it is the standard output, which then has no tables.",
            .examples =
                {"fathom show run.json\twhat the run printed",
                 "fathom show run.json latency\tthe tables of one benchmark",
                 "fathom show run.json --csv -\tevery metric as CSV, to the standard output"},
        },
    [COMMAND_REPORT] =
        {
            .name = "report",
            .operands = "RUN.json… -o REPORT.html",
            .operand_kind = WORD_FILE,
            .operand_max = SIZE_MAX,
            .summary = "Draw runs as one HTML page that can be mailed",
            .detail =
                "Writes one file that needs no network: the machine, charts and tables of "
                "every benchmark, every flagged result with its reason, and how the run was "
                "made. Several runs are drawn in the same charts. -o - is the standard output. The "
                "other options write other forms of one run, with the page or without it.",
            .examples =
                {"fathom report run.json -o run.html\tcharts of a run",
                 "fathom report before.json after.json -o both.html\ttwo runs in the same charts",
                 "fathom report run.json --markdown\tthe card as a table, for an issue or a wiki"},
        },
    [COMMAND_COMPARE] =
        {
            .name = "compare",
            .operands = "BASE.json NEW.json",
            .operand_kind = WORD_FILE,
            .operand_max = 2,
            .summary = "Show what got faster or slower between two runs",
            .detail = "Compares the medians of equal cases: which changed by more than the "
                      "threshold, which did not, and for which the intervals are too wide to "
                      "decide. With --reference NEW.json, BASE is the committed run of the same "
                      "GPU model. Two cards of one model differ by some percent: only a "
                      "difference beyond that is faster or slower.\n"
                      "The exit status is 1 if a case got slower or failed, so that CI can gate on "
                      "it. A case that is suspect in one of the runs, for example because another "
                      "program used the GPU, is listed but counts only with --strict.",
            .examples =
                {"fathom compare before.json after.json\texit status 1 if something got slower",
                 "fathom compare --reference run.json\tis this GPU as fast as another of its "
                 "model?",
                 "fathom compare --across vulkan.json cuda.json --threshold 10%\tthrough two APIs, "
                 "only larger differences",
                 "fathom compare before.json after.json --markdown\ta table for a merge request"},
        },
    [COMMAND_SHARE] =
        {
            .name = "share",
            .operands = "RUN.json [-o FILE]",
            .operand_kind = WORD_FILE,
            .operand_max = 1,
            .summary = "Make a small run file without names, to publish",
            .detail =
                "Writes a run file that every command reads, with at most 30 kB of gzipped data: "
                "the device, the headline figures, the curves of latency and bandwidth, the map, "
                "and as many other results as fit. It has no UUID, PCI address, serial number, "
                "command, path, or name of a host or user; reasons keep their code only, and "
                "numbers four digits.\n"
                "Without -o the file is named after the device, the API and the preset, in the "
                "current folder. If FILE does not end in .gz, it is not gzipped. See "
                "reference/README.md for how to send it in.",
            .examples = {"fathom share run.json\ta file named after the device, to send in",
                         "fathom share run.json -o small.json.gz\tunder a name of yours"},
        },
    [COMMAND_CHECK] =
        {
            .name = "check",
            .summary = "Say in 20 seconds whether the GPUs are as fast as they should be",
            .detail =
                "Measures all GPUs of this machine side by side: arithmetic, matrix units, DRAM, "
                "L2, three latencies and the link to the host. It compares each figure with "
                "reference runs of the same model, or with runs of your own (--expect), and "
                "prints one line a device: healthy; slow, with the cause; broken (wrong results, "
                "errors, hung, lost, missing); or unknown (busy, no expectation, no permission).\n"
                "Two healthy cards of one model differ. A card is slow only beyond that "
                "difference: with fewer than eight cards to compare with, beyond the largest "
                "difference between healthy cards of all models, which is some percent to some "
                "tens of percent; with eight or more, beyond what these cards' own spread "
                "explains. Against a run of the same card it is 2 %.\n"
                "The exit status is that of the worst device: 0 healthy, 5 unknown, 1 slow, 4 "
                "broken. 2 is wrong usage, 3 no GPU, 130 interrupted. A check ends after 60 "
                "seconds, also if a device hangs. It needs no root.\n"
                "The file of -o is a run file with a member `checks`. %h in its name is the host, "
                "%r the rank from SLURM_PROCID, OMPI_COMM_WORLD_RANK or PMI_RANK. Processes that "
                "start on one host at the same time make one check and share it; with "
                "--local-rank each checks the card of its own rank. docs/CHECK.md has examples "
                "for Slurm, NHC, systemd and Prometheus.",
            .examples = {"fathom check\tall GPUs of this machine",
                         "fathom check --expect healthy.json\tagainst a check of your own",
                         "fathom check --expect-count 8 --prometheus "
                         "/var/lib/node_exporter/fathom.prom\tfor a textfile collector",
                         "srun fathom check -o 'checks/%h-%r.json'\ta file a rank"},
        },
    [COMMAND_FLEET] =
        {
            .name = "fleet",
            .operands = "FILE|FOLDER…",
            .operand_kind = WORD_FILE,
            .operand_max = SIZE_MAX,
            .summary = "Judge the checks of many machines: what is slow, what differs, what lacks",
            .detail =
                "Reads check files, one of each machine, and of a FOLDER every .json and .json.gz "
                "in it, without the folders below. Each card is judged by its own check first, "
                "then beside the cards of its model. Shows what to look at first and why; for each "
                "metric the median, the spread and the smallest loss that would be found; racks, "
                "places, drivers and VBIOS versions that differ; machines that are missing. Files "
                "that cannot be "
                "used are named and left out. Runs without checks are compared by the figures of "
                "their card.\n"
                "The exit status is 1 if a card is slow or broken, 2 if no file could be read. Of "
                "100 healthy fleets at most one gives 1. docs/FLEET.md has recipes for Slurm and "
                "MPI.",
            .examples =
                {"fathom fleet checks\tall files of the folder",
                 "fathom fleet checks --html fleet.html --csv fleet.csv\twith a page, and a table "
                 "of every card and metric"},
        },
    [COMMAND_SERVE] =
        {
            .name = "serve",
            .summary = "Measure from a page in the browser: change a parameter, see what changes",
            .detail =
                "Serves the report's page with controls on 127.0.0.1 and prints its address. "
                "Each change on the page measures again; the time line of overlap moves with its "
                "sliders. Results can be saved as run files. Ctrl-C ends it.\n"
                "The address has a token, new at each start: only who has it can measure. To use "
                "a remote machine, forward the port: ssh -L 8080:127.0.0.1:8080 MACHINE fathom "
                "serve --port 8080. docs/SERVE.md says more.\n"
                "With -d only these devices are offered. One worker process measures for all "
                "pages; it is started again if it dies or hangs, and is idle without a page.",
            .examples = {"fathom serve --open\tthe page in the browser of this machine",
                         "fathom serve --port 8080 -d cuda\tat a port of its own, through CUDA"},
        },
    [COMMAND_HELP] =
        {
            .name = "help",
            .operands = "[COMMAND]",
            .operand_kind = WORD_COMMAND,
            .operand_max = 1,
            .summary = "Explain fathom or a command",
            .detail = "Prints what `fathom COMMAND --help` prints.",
            .examples = {"fathom help run\twhat `fathom run --help` prints"},
        },
    [COMMAND_BESIDE] =
        {
            .name = "__beside",
            .operands = "BENCHMARK",
            .operand_max = 1,
            .summary = "The second process of a benchmark that has one",
            .detail = "Started by that benchmark; reads requests from a socket, its standard "
                      "input.",
            .hidden = true,
        },
    [COMMAND_GUARD] =
        {
            .name = "__guard",
            .summary = "Hold the lock on a core clock, and restore the clock at the end",
            .detail = "Started by `fathom map --set clock=LIST`; reads requests from a socket, its "
                      "standard input, and restores the clock when the socket closes.",
            .hidden = true,
        },
    [COMMAND_COUNTERS] =
        {
            .name = "__counters",
            .summary = "List the hardware counters of a device for the parent process",
            .detail = "Started by `fathom devices --counters`; writes to a socket, its standard "
                      "input.",
            .hidden = true,
        },
    [COMMAND_CHECK_DEVICE] =
        {
            .name = "__check",
            .summary = "Measure one device of a check for the parent process",
            .detail = "Started by `fathom check`; writes to a socket, its standard input.",
            .hidden = true,
        },
    [COMMAND_ENUMERATE] =
        {
            .name = "__enumerate",
            .operands = "API",
            .operand_max = 1,
            .summary = "List the devices of one API for the parent process",
            .detail = "Started by every command that lists devices; writes to a socket, its "
                      "standard input.",
            .hidden = true,
        },
    [COMMAND_WORKER] =
        {
            .name = "__worker",
            .summary = "Measure what the parent process asks for",
            .detail = "Started by `fathom run`; reads requests from a socket, its standard input.",
            .hidden = true,
        },
};
