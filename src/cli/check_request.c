// SPDX-License-Identifier: MIT
// Identifies the request of a `fathom check`, so that processes with the same request share it.
#define _XOPEN_SOURCE 700 // makes stdlib.h declare realpath, which belongs to the XSI part of POSIX
#include "base/text.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <unistd.h>

// Returns the value of a used option for cli_check_request(). The name of a file gets its folders,
// because another process may work in another folder. A file that has no name, such as the standard
// input, belongs to this process alone.
static const char *request_value(struct arena *arena, const struct option_use *use)
{
    const char *file = options_file(use);
    if (!file)
        return text_printable(arena, use->value, SIZE_MAX);
    char *path = realpath(file, NULL);
    const char *value = path ? text_printable(arena, path, SIZE_MAX)
                             : arena_printf(arena, "of process %ld", (long)getpid());
    free(path);
    return value;
}

const char *cli_check_request(const struct cli *cli)
{
    static const enum option_id asked[] = {OPTION_DEVICE, OPTION_API,          OPTION_QUICK,
                                           OPTION_EXPECT, OPTION_EXPECT_COUNT, OPTION_SOAK};
    static const char *const cards[] = {"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
                                        "HIP_VISIBLE_DEVICES", "ZE_AFFINITY_MASK"};
    const char *line = "fathom check";
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        for (size_t u = 0; u < cli->options->use_count; u++) {
            const struct option_use *use = &cli->options->uses[u];
            if (use->option == asked[i])
                line = arena_printf(cli->arena, "%s --%s %s", line, option_table[asked[i]].name,
                                    request_value(cli->arena, use));
        }
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) {
        const char *value = getenv(cards[i]);
        if (value)
            line = arena_printf(cli->arena, "%s %s=%s", line, cards[i],
                                text_printable(cli->arena, value, SIZE_MAX));
    }
    return arena_printf(cli->arena, "%s\n", line);
}
