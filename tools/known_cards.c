// SPDX-License-Identifier: MIT
// Writes reference/cards.json, the cards that the program knows, from the runs in reference/:
//
//   build/tests/project/known_cards reference > reference/cards.json
//
// A run that measured less than KNOWN_LEAST figures of the card, a CPU or a map is left out.
#include "analysis/card.h"
#include "analysis/reference.h"
#include "cli/cli.h"

#include <string.h>

enum {
    KNOWN_LEAST = 5
};

static size_t trusted_figures(const struct card *card)
{
    size_t count = 0;
    for (size_t i = 0; i < card->count; i++)
        for (size_t k = 0; k < card->rows[i].count; k++)
            count += card_figure_trusted(&card->rows[i].figures[k]);
    return count;
}

static bool write_cards(struct arena *arena, const char *folder, struct error *err)
{
    struct run_index index;
    if (!run_index_read(arena, arena_printf(arena, "%s/index.json", folder), &index, err))
        return false;
    struct run **runs = ARENA_ARRAY(arena, index.count, struct run *);
    struct card *cards = ARENA_ARRAY(arena, index.count, struct card);
    size_t run_count = 0, count = 0;
    bool done = true;
    for (size_t i = 0; done && i < index.count; i++) {
        if (index.entries[i].published || strcmp(index.entries[i].preset, "map") == 0)
            continue;
        struct run *run = runs[run_count] = cli_read_run(index.entries[i].path, err);
        done = run != NULL;
        run_count += done;
        if (!done || run->device_count != 1)
            continue;
        card_build(arena, run, run->devices[0].id, NULL, &cards[count]);
        count += !cards[count].warning && trusted_figures(&cards[count]) >= KNOWN_LEAST;
    }
    done = done && known_cards_write(cards, count, stdout, err);
    while (run_count > 0)
        run_destroy(runs[--run_count]);
    return done;
}

int main(int argc, char **argv)
{
    struct error err = {.code = ERROR_USAGE, .message = "usage: known_cards FOLDER"};
    struct arena *arena = arena_create();
    bool done = argc == 2 && write_cards(arena, argv[1], &err);
    if (!done)
        fprintf(stderr, "known_cards: %s\n", err.message);
    arena_destroy(arena);
    return done ? 0 : 1;
}
