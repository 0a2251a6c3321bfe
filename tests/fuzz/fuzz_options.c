// SPDX-License-Identifier: MIT
// Command lines: each line of the input is one word.
#include "cli/options.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum {
    WORDS_MAX = 64
};

static void check(struct arena *arena, const struct options *options)
{
    assert(options->command <= COMMAND_COUNT);
    if (options->command == COMMAND_COUNT)
        assert(options->operand_count == 0);
    else
        assert(options->operand_count <= command_table[options->command].operand_max);
    for (size_t i = 0; i < options->use_count; i++) {
        const struct option_info *option = &option_table[options->uses[i].option];
        const char **values;
        assert((*options->uses[i].value != '\0') == (option->argument != NULL));
        assert(options_has(options, options->uses[i].option));
        size_t count = options_values(arena, options, options->uses[i].option, &values);
        assert(count == 1 || option->repeated);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct arena *arena = arena_create();
    char *text = arena_alloc(arena, bytes + 1);
    if (bytes)
        memcpy(text, data, bytes);
    char *argv[WORDS_MAX] = {"fathom"};
    int argc = 1;
    for (char *word = text; word && argc < WORDS_MAX - 1;) {
        char *end = strchr(word, '\n');
        if (end)
            *end++ = '\0';
        argv[argc++] = word;
        word = end;
    }
    struct options options;
    struct error err = {.code = ERROR_NONE};
    if (options_parse(arena, argc, argv, &options, &err))
        check(arena, &options);
    else
        assert(err.code == ERROR_USAGE && *err.message);
    arena_destroy(arena);
    return 0;
}
