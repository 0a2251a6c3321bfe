// SPDX-License-Identifier: MIT
// make_trace TRACE.json RUN.json: writes the time lines of this run as fathom does.
#include "report/export.h"
#include "results/json.h"

int main(int argc, char **argv)
{
    struct error err = {0};
    struct run *run = argc == 3 ? run_read(argv[2], &err) : NULL;
    bool fine = run && run_save_as(run, trace_write, argv[1], &err);
    run_destroy(run);
    if (!fine)
        fputs(err.message, stderr);
    return !fine;
}
