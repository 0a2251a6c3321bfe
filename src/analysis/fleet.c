// SPDX-License-Identifier: MIT
// Collects the cards of a fleet from runs, and keeps each card once.
#include "analysis/fleet.h"
#include "analysis/card.h"
#include "analysis/check_cases.h"
#include "analysis/pairing.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *fleet_grade_name(enum fleet_grade grade)
{
    static const char *const names[FLEET_GRADE_COUNT] = {
        [FLEET_HEALTHY] = "healthy",   [FLEET_NOISY] = "noisy", [FLEET_UNKNOWN] = "unknown",
        [FLEET_DOUBTFUL] = "doubtful", [FLEET_SLOW] = "slow",   [FLEET_BROKEN] = "broken",
    };
    return names[grade];
}

const char *fleet_metric_title(enum check_metric metric)
{
    // the check names the other card of these figures; a fleet has one figure a card
    static const char *const titles[CHECK_METRIC_COUNT] = {
        [CHECK_LINK_ALL_AT_ONCE] = "Host links at once",
        [CHECK_PEER] = "Link to a peer",
        [CHECK_PEER_READ] = "Link from a peer",
        [CHECK_PEER_BOTH] = "Link of peers both ways",
        [CHECK_PEER_ALL] = "All peers at once",
    };
    return titles[metric] ? titles[metric] : check_case_of(metric)->title;
}

const char *fleet_percent(struct arena *arena, double share)
{
    if (isnan(share))
        return "–";
    if (fabs(share) < 0.0005)
        share = 0; // the text must not be "-0.0 %"
    if (fabs(share) < 9.995)
        return arena_printf(arena, "%.1f %%", 100 * share);
    return share > 0 ? "over 999 %" : "under -999 %";
}

struct fleet *fleet_create(void)
{
    struct arena *arena = arena_create();
    struct fleet *fleet = ARENA_NEW(arena, struct fleet);
    fleet->arena = arena;
    return fleet;
}

void fleet_destroy(struct fleet *fleet)
{
    if (!fleet)
        return;
    if (fleet->group_pattern)
        regfree(fleet->group_pattern);
    arena_destroy(fleet->arena);
}

void fleet_leave_out(struct fleet *fleet, const char *file, const char *why)
{
    fleet->left = arena_grow(fleet->arena, fleet->left, fleet->left_count, &fleet->left_capacity,
                             sizeof *fleet->left);
    fleet->left[fleet->left_count++] = (struct named_text){.name = arena_strdup(fleet->arena, file),
                                                           .text = arena_strdup(fleet->arena, why)};
}

// ---------------------------------------------------------------- taking cards from runs

static const char *copy_text(struct fleet *fleet, const char *text)
{
    return text ? arena_strdup(fleet->arena, text) : NULL;
}

// Data that all cards from one run file have in common.
struct origin {
    const char *host, *file, *tool, *started;
};

// Returns the name of the host, else the file's name without its folder, up to the first dot.
static const char *host_name(struct fleet *fleet, const struct run *run, const char *file)
{
    for (size_t i = 0; i < run->host_count; i++)
        if (strcmp(run->host[i].name, "name") == 0 && *run->host[i].text)
            return arena_strdup(fleet->arena, run->host[i].text);
    const char *name = text_file_name(file);
    return arena_printf(fleet->arena, "%.*s", (int)strcspn(name, "."), name);
}

static struct fleet_card *add_card(struct fleet *fleet, const struct origin *origin,
                                   const struct run_device *device)
{
    struct fleet_card *card = ARENA_NEW(fleet->arena, struct fleet_card);
    *card = (struct fleet_card){.host = origin->host,
                                .file = origin->file,
                                .tool = origin->tool,
                                .started = origin->started,
                                .check = check_empty(),
                                .cause = ""};
    if (device) {
        card->name = copy_text(fleet, device->name);
        card->driver = copy_text(fleet, device->driver);
        card->api = device_api(fleet->arena, device->id);
        card->check.device = copy_text(fleet, device->id);
        card->check.uuid = copy_text(fleet, device->uuid);
        card->check.pci = copy_text(fleet, device->pci);
    }
    fleet->cards = arena_grow(fleet->arena, fleet->cards, fleet->count, &fleet->capacity,
                              sizeof(struct fleet_card *));
    fleet->cards[fleet->count++] = card;
    return card;
}

// Adds a card with its check, but without figures with an excuse, which would seem slow.
static void add_check(struct fleet *fleet, const struct origin *origin, const struct run *run,
                      const struct check *check)
{
    const struct run_device *device = run_find_device(run, check->device);
    struct fleet_card *card = add_card(fleet, origin, device);
    const struct check known = card->check;
    card->check = *check;
    card->check.device = copy_text(fleet, check->device);
    card->check.uuid = check->uuid ? copy_text(fleet, check->uuid) : known.uuid;
    card->check.pci = check->pci ? copy_text(fleet, check->pci) : known.pci;
    card->check.cause = copy_text(fleet, check->cause);
    card->check.state.throttle = copy_text(fleet, check->state.throttle);
    card->check.state.vbios = copy_text(fleet, check->state.vbios);
    card->check.remarks = NULL;
    card->check.remark_count = 0;
    card->check.figures = ARENA_ARRAY(fleet->arena, check->figure_count, struct check_figure);
    card->check.figure_count = 0;
    for (size_t i = 0; i < check->figure_count; i++)
        if (!device || !check_excuse(run, device, &check->figures[i]))
            card->check.figures[card->check.figure_count++] = check->figures[i];
}

// Returns the metric with this title (fleet_metric_title); CHECK_METRIC_COUNT if there is none.
static enum check_metric metric_of(const char *title)
{
    unsigned metric = 0;
    while (metric < CHECK_METRIC_COUNT &&
           strcmp(fleet_metric_title((enum check_metric)metric), title) != 0)
        metric++;
    return (enum check_metric)metric;
}

static void add_figure(struct check *check, const struct card_figure *from)
{
    enum check_metric metric = metric_of(from->title);
    if (metric == CHECK_METRIC_COUNT || !card_figure_trusted(from))
        return;
    struct check_figure *figure = &check->figures[check->figure_count++];
    *figure = check_figure_empty(metric);
    figure->unit = from->unit;
    figure->value = from->value;
    figure->low = from->ci95[0];
    figure->high = from->ci95[1];
}

static size_t device_number(const struct run_device *device)
{
    const char *colon = strrchr(device->id, ':');
    return colon ? (size_t)strtoul(colon + 1, NULL, 10) : 0;
}

// Adds a device of a run without checks: the figures of its card, which have no expected values.
static void add_measured(struct fleet *fleet, const struct origin *origin, const struct run *run,
                         size_t index)
{
    struct arena *scratch = arena_create();
    struct card figures;
    card_build(scratch, run, run->devices[index].id, NULL, &figures);
    struct fleet_card *card = add_card(fleet, origin, &run->devices[index]);
    card->check.index = device_number(&run->devices[index]);
    card->check.code = CHECK_NO_EXPECTATION;
    card->check.figures =
        ARENA_ARRAY(fleet->arena, (size_t)CARD_ROWS_MAX * CARD_FIGURES_MAX, struct check_figure);
    for (size_t i = 0; i < figures.count; i++)
        for (size_t k = 0; k < figures.rows[i].count; k++)
            add_figure(&card->check, &figures.rows[i].figures[k]);
    if (card->check.figure_count == 0)
        fleet->count--;
    arena_destroy(scratch);
}

void fleet_add_run(struct fleet *fleet, struct run *run, const char *file)
{
    size_t before = fleet->count;
    const struct origin origin = {.host = host_name(fleet, run, file),
                                  .file = arena_strdup(fleet->arena, file),
                                  .tool = copy_text(fleet, run->tool_version),
                                  .started = copy_text(fleet, run->started)};
    for (size_t i = 0; i < run->check_count; i++)
        add_check(fleet, &origin, run, &run->checks[i]);
    for (size_t i = 0; run->check_count == 0 && i < run->device_count; i++)
        add_measured(fleet, &origin, run, i);
    if (fleet->count > before)
        fleet->files++;
    else
        fleet_leave_out(fleet, file, "it has neither checks nor figures that are compared");
}

// ---------------------------------------------------------------- keeping each card once

static int compare_texts(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

// Returns true if both checks are of one card by UUID, else by PCI address, else by index.
static bool is_same_card(const struct check *a, const struct check *b)
{
    if (a->uuid && b->uuid)
        return strcmp(a->uuid, b->uuid) == 0;
    if (a->pci && b->pci)
        return strcmp(a->pci, b->pci) == 0;
    return a->index == b->index;
}

static int compare_groups(const struct fleet_card *a, const struct fleet_card *b)
{
    int order = strcmp(a->host, b->host);
    return order ? order : compare_texts(a->api, b->api);
}

static int compare_indices(const struct fleet_card *a, const struct fleet_card *b)
{
    return (a->check.index > b->check.index) - (a->check.index < b->check.index);
}

// Sorts checks by host, then by API, then from new to old. Checks that another fathom process of
// the host made (check.shared_check) come last within their API.
static int compare_checks(const void *a, const void *b)
{
    const struct fleet_card *x = *(struct fleet_card *const *)a,
                            *y = *(struct fleet_card *const *)b;
    int order = compare_groups(x, y);
    if (!order)
        order = (int)x->check.shared_check - (int)y->check.shared_check;
    if (!order)
        order = compare_texts(y->started, x->started);
    if (!order)
        order = strcmp(x->file, y->file);
    return order ? order : compare_indices(x, y);
}

static int compare_cards(const void *a, const void *b)
{
    const struct fleet_card *x = *(struct fleet_card *const *)a,
                            *y = *(struct fleet_card *const *)b;
    int order = compare_groups(x, y);
    if (!order)
        order = compare_indices(x, y);
    return order ? order : compare_checks(a, b);
}

// Returns true if the fleet still has a card whose check is from this file.
static bool is_used(const struct fleet *fleet, const char *file)
{
    for (size_t i = 0; i < fleet->count; i++)
        if (fleet->cards[i]->file == file)
            return true;
    return false;
}

static bool is_left_out(const struct fleet *fleet, const char *file)
{
    for (size_t i = 0; i < fleet->left_count; i++)
        if (strcmp(fleet->left[i].name, file) == 0)
            return true;
    return false;
}

// Records that `card` is dropped, because the fleet keeps `kept`, a check of the same card. A check
// of another fathom process is only counted; else its file is left out if no check of it is used.
static void note_dropped(struct fleet *fleet, const struct fleet_card *card,
                         const struct fleet_card *kept)
{
    fleet->shared += card->check.shared_check;
    if (card->check.shared_check || is_used(fleet, card->file) || is_left_out(fleet, card->file))
        return;
    const char *which = compare_texts(kept->started, card->started) > 0 ? "a later" : "the same";
    fleet_leave_out(
        fleet, card->file,
        arena_printf(fleet->arena, "%s has %s check of the same card", kept->file, which));
    fleet->files--;
}

// Returns the kept check of the same card, or NULL. Checks of one host and API are neighbours.
static struct fleet_card *kept_of(const struct fleet *fleet, const struct fleet_card *card)
{
    for (size_t i = fleet->count; i > 0 && compare_groups(fleet->cards[i - 1], card) == 0; i--)
        if (is_same_card(&fleet->cards[i - 1]->check, &card->check))
            return fleet->cards[i - 1];
    return NULL;
}

void fleet_keep_each_once(struct fleet *fleet)
{
    size_t count = fleet->count, dropped = 0;
    struct fleet_card **all = fleet->cards;
    // Pairs of checks of the same card: first the dropped check, then the kept check.
    struct fleet_card **pairs = ARENA_ARRAY(fleet->arena, 2 * count, struct fleet_card *);
    if (count)
        qsort(all, count, sizeof(struct fleet_card *), compare_checks);
    fleet->count = 0;
    for (size_t i = 0; i < count; i++) {
        struct fleet_card *kept = kept_of(fleet, all[i]);
        if (kept) {
            pairs[2 * dropped] = all[i];
            pairs[2 * dropped++ + 1] = kept;
        } else {
            all[fleet->count++] = all[i];
        }
    }
    if (count)
        qsort(all, fleet->count, sizeof(struct fleet_card *), compare_cards);
    for (size_t i = 0; i < dropped; i++)
        note_dropped(fleet, pairs[2 * i], pairs[2 * i + 1]);
}
