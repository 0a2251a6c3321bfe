// SPDX-License-Identifier: MIT
// Writes what the program knows of cards, from the runs in reference/: the figures of their cards,
// or with `checks` the results that `fathom check` compares with.
//
//   build/tests/project/known_cards reference > reference/cards.json
//   build/tests/project/known_cards reference checks > reference/checks.json
//
// Runs with less than KNOWN_LEAST trusted figures of the card, of a CPU, or of a map are left out.
#include "analysis/card.h"
#include "analysis/check_cases.h"
#include "analysis/pairing.h"
#include "analysis/reference.h"
#include "cli/cli.h"
#include "measure/limits.h"
#include "results/json.h"

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

// Returns the device's architecture. Earlier runs lack it: it then comes from the product.
static const char *architecture_of(const struct run_device *device)
{
    bool is_nvidia = device->vendor && strcmp(device->vendor, "NVIDIA") == 0;
    struct gpu_info info = {.vendor_id = is_nvidia ? GPU_VENDOR_NVIDIA : 0};
    struct measure_limits limits;
    for (size_t i = 0; i < device->limit_count; i++)
        if (strcmp(device->limits[i].name, "memory_bytes") == 0)
            info.limits.memory_bytes = (uint64_t)device->limits[i].value;
    snprintf(info.name, sizeof info.name, "%s", device->name);
    measure_limits_of(&info, &limits);
    return device->architecture ? device->architecture : limits.architecture;
}

// Copies the state of the card, if the run was a check.
static void copy_state(struct run *all, const struct run *run, const struct run_device *from,
                       const struct run_device *device)
{
    for (size_t i = 0; i < run->check_count; i++) {
        if (!run->checks[i].device || strcmp(run->checks[i].device, from->id) != 0)
            continue;
        struct check *check = run_add_check(all);
        check->device = device->id;
        check->state = run->checks[i].state;
    }
}

// Removes the ids of the two devices of a copy: they are others in this file.
static void forget_ends(struct arena *arena, struct result *result)
{
    const struct bench_case all = result->bench_case;
    result->bench_case.values = ARENA_ARRAY(arena, all.value_count, struct case_value);
    result->bench_case.value_count = 0;
    for (size_t i = 0; i < all.value_count; i++)
        if (strcmp(all.values[i].key, "from") != 0 && strcmp(all.values[i].key, "to") != 0)
            result->bench_case.values[result->bench_case.value_count++] = all.values[i];
}

// Copies the wanted results of one of the run's devices into `all`, without members that a check
// does not read.
static void copy_results(struct run *all, const struct run *run, const struct run_device *from)
{
    struct run_device *device = NULL;
    for (size_t i = 0; i < run->result_count; i++) {
        if (strcmp(run->results[i]->device, from->id) != 0 || !check_wanted(run->results[i]))
            continue;
        if (!device) {
            device = run_add_device(all);
            *device = (struct run_device){
                .name = from->name, .uuid = from->uuid, .driver = from->driver, .kind = from->kind};
            device->architecture = architecture_of(from);
            device->id = arena_printf(all->arena, "%s:%zu", device_api(all->arena, from->id),
                                      all->device_count - 1);
            copy_state(all, run, from, device);
        }
        struct result *result = run_add_result(all);
        *result = *run->results[i];
        check_shorten(all->arena, result);
        forget_ends(all->arena, result);
        result->device = device->id;
    }
}

static bool write_checks(struct arena *arena, const char *folder, struct error *err)
{
    struct run_index index;
    if (!run_index_read(arena, arena_printf(arena, "%s/index.json", folder), &index, err))
        return false;
    struct run **runs = ARENA_ARRAY(arena, index.count, struct run *);
    struct run *all = run_create();
    size_t count = 0;
    bool done = true;
    all->status = RUN_COMPLETE;
    for (size_t i = 0; done && i < index.count; i++) {
        if (index.entries[i].published || strcmp(index.entries[i].preset, "map") == 0)
            continue;
        struct run *run = runs[count] = cli_read_run(index.entries[i].path, err);
        done = run != NULL;
        count += done;
        for (size_t d = 0; done && d < run->device_count; d++)
            if (strcmp(run->devices[d].kind, "cpu") != 0)
                copy_results(all, run, &run->devices[d]);
    }
    done = done && run_write(all, stdout, err);
    run_destroy(all);
    while (count > 0)
        run_destroy(runs[--count]);
    return done;
}

int main(int argc, char **argv)
{
    struct error err = {.code = ERROR_USAGE, .message = "usage: known_cards FOLDER [checks]"};
    struct arena *arena = arena_create();
    bool checks = argc == 3 && strcmp(argv[2], "checks") == 0;
    bool done = checks ? write_checks(arena, argv[1], &err)
                       : argc == 2 && write_cards(arena, argv[1], &err);
    if (!done)
        fprintf(stderr, "known_cards: %s\n", err.message);
    arena_destroy(arena);
    return done ? 0 : 1;
}
