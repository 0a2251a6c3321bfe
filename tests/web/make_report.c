// SPDX-License-Identifier: MIT
// make_report REPORT.html RUN.json…: the report of these runs, as fathom writes it.
#include "report/export.h"
#include "results/json.h"

int main(int argc, char **argv)
{
    enum {
        RUNS_MAX = 16
    };
    struct run *runs[RUNS_MAX] = {NULL};
    struct error err = {0};
    int count = argc - 2 < RUNS_MAX ? argc - 2 : RUNS_MAX;
    bool fine = argc > 2;
    for (int i = 0; fine && i < count; i++)
        fine = (runs[i] = run_read(argv[i + 2], &err)) != NULL;
    if (fine)
        fine = html_save((const struct run *const *)runs, (size_t)count, argv[1], &err);
    for (int i = 0; i < count; i++)
        run_destroy(runs[i]);
    if (!fine)
        fputs(err.message, stderr);
    return !fine;
}
