// SPDX-License-Identifier: MIT
// `fathom share` writes a small run file without private data, which its owner can publish.
#include "analysis/share.h"
#include "analysis/pairing.h"
#include "cli/cli.h"
#include "results/json.h"
#include "results/save.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SHARED_BYTES_MAX = 30000 // size in bytes above which the gzipped run file is shortened
};

// Makes the run small enough to share. Removes what is private or of no use to others. Then removes
// results until the gzipped file is small enough or only important results are left. Sets *bytes to
// the size of the gzipped file.
static bool make_small(struct run *run, size_t *bytes, struct error *err)
{
    share_strip(run);
    do {
        struct text_stream stream;
        text_stream_open(&stream);
        bool written = run_write_gzipped(run, stream.file, err);
        text_stream_close(&stream);
        *bytes = stream.bytes;
        free(stream.text);
        if (!written)
            return false;
    } while (*bytes > SHARED_BYTES_MAX && share_thin(run));
    return true;
}

// Returns the default name of the file, such as "nvidia-h200-vulkan-standard.json.gz".
static const char *default_name(struct arena *arena, const struct run *run)
{
    static const struct run_device unknown = {.id = ""};
    const struct run_device *device = run->device_count ? &run->devices[0] : &unknown;
    char *name = arena_printf(arena, "%s %s %s", device->name ? device->name : "gpu",
                              device_api(arena, device->id), run->preset ? run->preset : "");
    size_t length = 0;
    for (const char *c = name; *c; c++) {
        if (isalnum((unsigned char)*c))
            name[length++] = (char)tolower((unsigned char)*c);
        else if (length > 0 && name[length - 1] != '-')
            name[length++] = '-';
    }
    while (length > 0 && name[length - 1] == '-')
        length--;
    return arena_printf(arena, "%.*s.json.gz", (int)length, name);
}

// Returns the file to write: the value of -o, else the default name. If a file of this default name
// exists, returns NULL with ERROR_USAGE.
static const char *output_path(const struct cli *cli, const struct run *run, struct error *err)
{
    const char *named = options_value(cli->options, OPTION_SHARE_OUTPUT);
    const char *path = named ? named : default_name(cli->arena, run);
    if (named || access(path, F_OK) != 0)
        return path;
    error_set(err, ERROR_USAGE, "share: %s exists already: remove it, or give another name with -o",
              path);
    return NULL;
}

static bool share(struct cli *cli, struct run *run, struct error *err)
{
    const char *input = cli->options->operands[0];
    size_t count = run->result_count, bytes;
    if (!make_small(run, &bytes, err))
        return false;
    if (run->result_count == 0)
        return error_set(err, ERROR_USAGE, "share: %s has no figures to share", input);
    const char *path = output_path(cli, run, err);
    if (!path || !run_save(run, path, err))
        return false;
    if (bytes > SHARED_BYTES_MAX)
        fprintf(cli->err, "fathom: note: more than %d kB: measure fewer devices in one run\n",
                SHARED_BYTES_MAX / 1000);
    if (!file_save_is_standard(path))
        fprintf(cli->out, "%s: %zu of %zu results, %.1f kB gzipped (`fathom share --help`)\n", path,
                run->result_count, count, (double)bytes / 1000);
    return true;
}

bool command_share(struct cli *cli, struct error *err)
{
    if (cli->options->operand_count == 0)
        return error_set(err, ERROR_USAGE,
                         "share: expected a run file: fathom share RUN.json [-o FILE]");
    if (!cli_outputs_spare(cli->options, "share", cli->options->operands[0], err) ||
        !cli_output_check(cli->options, OPTION_SHARE_OUTPUT, err))
        return false;
    struct run *run = cli_read_run(cli->options->operands[0], err);
    bool done = run && share(cli, run, err);
    run_destroy(run);
    return done;
}
