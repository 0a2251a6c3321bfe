// SPDX-License-Identifier: MIT
// Compares a card with the known cards of reference/, and writes sentences about what stands out.
#include "analysis/card.h"

#include "base/text.h"
#include "results/codec.h"
#include "results/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIGURES_MAX = CARD_ROWS_MAX * CARD_FIGURES_MAX
};

bool card_figure_trusted(const struct card_figure *figure)
{
    return isfinite(figure->value) && figure->verdict == VERDICT_OK && !figure->provisional;
}

double card_figure_gain(const struct card_figure *figure)
{
    double change = figure->value / figure->reference - 1;
    return figure->better == BETTER_LOWER ? -change : change;
}

// ---------------------------------------------------------------- the file of known cards

#define CARDS_SCHEMA "fathom-cards/1"

// The text of reference/cards.json (embedded by CMakeLists.txt), without a NUL at its end.
extern const char reference_cards[];
extern const uint64_t reference_cards_bytes;

static const struct json_field figure_fields[] = {
    {"row", FIELD_TEXT, JSON_AT(struct known_figure, row), .required = true},
    {"name", FIELD_TEXT, JSON_AT(struct known_figure, name)},
    {"benchmark", FIELD_TEXT, JSON_AT(struct known_figure, benchmark), .required = true},
    {"version", FIELD_COUNT, JSON_AT(struct known_figure, version), .required = true},
    {"value", FIELD_REAL, JSON_AT(struct known_figure, value), .required = true},
};
static const struct json_table figure_table = {JSON_TABLE(struct known_figure, figure_fields)};

static const struct json_field card_fields[] = {
    {"device", FIELD_TEXT, JSON_AT(struct known_card, device), .required = true},
    {"api", FIELD_TEXT, JSON_AT(struct known_card, api), .required = true},
    {"preset", FIELD_TEXT, JSON_AT(struct known_card, preset)},
    {"started", FIELD_TEXT, JSON_AT(struct known_card, started), .required = true},
    {"figures", FIELD_LIST, JSON_LIST_AT(struct known_card, figures, count),
     .table = &figure_table},
};
static const struct json_table card_table = {JSON_TABLE(struct known_card, card_fields)};

static const struct json_field cards_fields[] = {
    {"cards", FIELD_LIST, JSON_LIST_AT(struct known_cards, cards, count), .table = &card_table},
};
static const struct json_table cards_table = {JSON_TABLE(struct known_cards, cards_fields)};

const struct known_cards *known_cards_read(struct arena *arena, const char *text, size_t bytes,
                                           const char *name, struct error *err)
{
    json_t *json = json_read_memory(text, bytes, name, err);
    if (!json)
        return NULL;
    struct known_cards *known = ARENA_NEW(arena, struct known_cards);
    struct json_reader reader = {.arena = arena, .file = name, .err = err};
    struct json_node top = {.value = json};
    struct json_node schema = json_member(&reader, &top, "schema");
    if (strcmp(json_text_required(&reader, &schema), CARDS_SCHEMA) != 0)
        json_fail(&reader, &schema, "expected " CARDS_SCHEMA);
    json_get_fields(&reader, &top, &cards_table, known);
    json_decref(json);
    return reader.failed ? NULL : known;
}

const struct known_cards *known_cards_builtin(struct arena *arena)
{
    struct error err; // the error is ignored: a test proves that the built-in cards.json is valid
    return known_cards_read(arena, reference_cards, reference_cards_bytes, "cards.json", &err);
}

static void put_known(struct json_out *out, struct arena *arena, const struct card *card)
{
    struct known_card known = {.device = card->device->name,
                               .api = card->api,
                               .preset = card->run->preset,
                               .started = card->run->started,
                               .figures = ARENA_ARRAY(arena, FIGURES_MAX, struct known_figure)};
    for (size_t i = 0; i < card->count; i++)
        for (size_t k = 0; k < card->rows[i].count; k++) {
            const struct card_figure *figure = &card->rows[i].figures[k];
            if (card_figure_trusted(figure))
                known.figures[known.count++] =
                    (struct known_figure){card->rows[i].label, figure->name, figure->benchmark,
                                          figure->version, figure->value};
        }
    json_put_struct(out, NULL, &card_table, &known);
}

bool known_cards_write(const struct card *cards, size_t count, FILE *stream, struct error *err)
{
    struct arena *arena = arena_create();
    struct json_out out = {.arena = arena, .stream = stream, .lines = true};
    json_put_open(&out, NULL, '{');
    json_put_text(&out, "schema", CARDS_SCHEMA);
    json_put_open(&out, "cards", '[');
    for (size_t i = 0; i < count; i++)
        put_known(&out, arena, &cards[i]);
    json_put_close(&out, ']');
    json_put_close(&out, '}');
    bool done = json_out_end(&out, "the cards", err);
    arena_destroy(arena);
    return done;
}

// ---------------------------------------------------------------- choosing the reference card

static double known_value(const struct known_card *known, const struct card_row *row,
                          const struct card_figure *figure)
{
    for (size_t i = 0; i < known->count; i++) {
        const struct known_figure *other = &known->figures[i];
        if (text_same(figure->name, other->name) && strcmp(other->row, row->label) == 0 &&
            strcmp(other->benchmark, figure->benchmark) == 0 && other->version == figure->version)
            return other->value;
    }
    return NAN;
}

static size_t common_figures(const struct known_card *known, const struct card *card)
{
    size_t common = 0;
    for (size_t i = 0; i < card->count; i++)
        for (size_t k = 0; k < card->rows[i].count; k++)
            common +=
                isfinite(known_value(known, &card->rows[i], &card->rows[i].figures[k])) ? 1 : 0;
    return common;
}

static bool is_same_model(const struct known_card *known, const struct card *card)
{
    return card->device->name && strcmp(known->device, card->device->name) == 0;
}

// Returns how suitable a known card is as a reference for `card`; 0 if it is not. The same model
// counts most, then the same preset, then the number of common figures.
static size_t rank(const struct known_card *known, const struct card *card)
{
    bool itself = card->run->started && strcmp(known->started, card->run->started) == 0;
    size_t common = common_figures(known, card);
    if (itself || !common || strcmp(known->api, card->api) != 0)
        return 0;
    bool same_preset =
        known->preset && card->run->preset && strcmp(known->preset, card->run->preset) == 0;
    return common + (same_preset ? 100u : 0) + (is_same_model(known, card) ? 1000u : 0);
}

static void choose_reference(struct card *card, const struct known_cards *known)
{
    size_t best = 0;
    for (size_t i = 0; known && !card->warning && i < known->count; i++) {
        size_t found = rank(&known->cards[i], card);
        if (found <= best)
            continue;
        best = found;
        card->reference = &known->cards[i];
    }
    card->same_model = card->reference && is_same_model(card->reference, card);
    for (size_t i = 0; card->reference && i < card->count; i++)
        for (size_t k = 0; k < card->rows[i].count; k++) {
            struct card_figure *figure = &card->rows[i].figures[k];
            figure->reference = known_value(card->reference, &card->rows[i], figure);
        }
}

// ---------------------------------------------------------------- notes on figures that stand out

static void note(struct card *card, const char *text)
{
    if (card->note_count < CARD_NOTES_MAX)
        card->notes[card->note_count++] = text;
}

// Some figures of a card, in ascending order of their weights.
struct choice {
    const struct card_figure *figures[FIGURES_MAX];
    double weights[FIGURES_MAX];
    size_t count;
};

static void choice_add(struct choice *choice, const struct card_figure *figure, double weight)
{
    size_t at = choice->count++;
    for (; at > 0 && choice->weights[at - 1] > weight; at--) {
        choice->figures[at] = choice->figures[at - 1];
        choice->weights[at] = choice->weights[at - 1];
    }
    choice->figures[at] = figure;
    choice->weights[at] = weight;
}

// Returns the figures of the card, sorted by the weights that `judge` gives; NaN leaves one out.
static struct choice choose(const struct card *card,
                            double (*judge)(const struct card_figure *figure))
{
    struct choice choice = {.count = 0};
    for (size_t i = 0; i < card->count; i++)
        for (size_t k = 0; k < card->rows[i].count; k++) {
            const struct card_figure *figure = &card->rows[i].figures[k];
            double weight = judge(figure);
            if (isfinite(weight))
                choice_add(&choice, figure, weight);
        }
    return choice;
}

// Returns the weight of a trusted figure that differs from the reference by more than CARD_DIFFERS.
// The largest difference has the smallest weight. Returns NaN for all other figures.
static double by_difference(const struct card_figure *figure)
{
    double gain = card_figure_trusted(figure) ? card_figure_gain(figure) : NAN;
    return fabs(gain) > CARD_DIFFERS ? -fabs(log(figure->value / figure->reference)) : NAN;
}

static double by_agreement(const struct card_figure *figure)
{
    double gain = card_figure_trusted(figure) ? card_figure_gain(figure) : NAN;
    return fabs(gain) <= CARD_DIFFERS ? 0 : NAN;
}

static double by_trust(const struct card_figure *figure)
{
    return card_figure_trusted(figure) ? 0 : NAN;
}

static double by_share(const struct card_figure *figure)
{
    return card_figure_trusted(figure) && figure->share < CARD_FAR ? figure->share : NAN;
}

static double by_flag(const struct card_figure *figure)
{
    return figure->verdict == VERDICT_SUSPECT || figure->verdict == VERDICT_FAILED ? 0 : NAN;
}

// Returns, for example, "DRAM read: 4.1 TB/s, 13 % lower than the reference NVIDIA H200 (…)".
static const char *difference_text(struct arena *arena, const struct card *card,
                                   const struct card_figure *figure)
{
    double change = figure->value / figure->reference - 1;
    const char *how =
        arena_printf(arena, "%.0f %% %s than", 100 * fabs(change), change > 0 ? "higher" : "lower");
    if (change >= 1)
        how = arena_printf(arena, "%.1f times that of", change + 1);
    return arena_printf(arena, "%s: %s, %s the reference %s (%s)", figure->title,
                        unit_text(arena, figure->value, figure->unit), how, card->reference->device,
                        unit_text(arena, figure->reference, figure->unit));
}

static void note_reference(struct arena *arena, struct card *card)
{
    if (!card->same_model)
        return;
    struct choice differ = choose(card, by_difference), agree = choose(card, by_agreement);
    const char *agreeing =
        agree.count == 1 ? "the only figure that both have is"
                         : arena_printf(arena, "all %zu figures that both have are", agree.count);
    if (!differ.count && agree.count)
        note(card, arena_printf(arena, "As fast as the reference %s: %s within %.0f %%",
                                card->reference->device, agreeing, 100 * CARD_DIFFERS));
    for (size_t i = 0; i < differ.count && i < 2; i++)
        note(card, difference_text(arena, card, differ.figures[i]));
    if (differ.count > 2)
        note(card, arena_printf(arena, "%s differ%s by more than %.0f %% from it",
                                text_count(arena, differ.count - 2, "further figure"),
                                differ.count == 3 ? "s" : "", 100 * CARD_DIFFERS));
}

// Adds a note with the figures that are not trusted, and their reason if all have the same.
static void note_flagged(struct arena *arena, struct card *card)
{
    struct choice flagged = choose(card, by_flag);
    const char *names = "", *shared = flagged.count > 1 ? flagged.figures[0]->reason : NULL;
    for (size_t i = 0; i < flagged.count; i++) {
        const struct card_figure *figure = flagged.figures[i];
        names = text_join(arena, names, ", ", figure->title);
        if (shared && (!figure->reason || strcmp(figure->reason, shared) != 0))
            shared = NULL;
    }
    card->shared_reason = shared;
    if (flagged.count)
        note(card, shared ? arena_printf(arena, "Not trusted (%s): %s", shared, names)
                          : arena_printf(arena, "Not trusted: %s", names));
}

static bool same_doubt(const struct card_figure *a, const struct card_figure *b)
{
    return a->verdict == b->verdict && strcmp(a->reason, b->reason) == 0;
}

// Returns the titles of all figures that have the reason of figure `first`; "" if a figure before
// `first` has it, too.
static const char *titles_of(struct arena *arena, const struct choice *flagged, size_t first)
{
    const char *titles = "";
    for (size_t i = 0; i < flagged->count; i++) {
        const struct card_figure *figure = flagged->figures[i];
        if (!figure->reason || !same_doubt(figure, flagged->figures[first]))
            continue;
        if (i < first)
            return "";
        titles = text_join(arena, titles, ", ", figure->title);
    }
    return titles;
}

// Sets `texts` to one sentence for each reason why figures are not trusted; returns their number.
static size_t set_doubts(struct arena *arena, const struct card *card,
                         const char *texts[CARD_DOUBTS_MAX])
{
    const struct choice flagged = choose(card, by_flag);
    size_t count = 0;
    for (size_t i = 0; i < flagged.count && !card->shared_reason; i++) {
        const struct card_figure *figure = flagged.figures[i];
        const char *titles = figure->reason ? titles_of(arena, &flagged, i) : "";
        if (*titles && count++ < CARD_DOUBTS_MAX)
            texts[count - 1] = arena_printf(arena, "%s: %s: %s", titles,
                                            verdict_name(figure->verdict), figure->reason);
    }
    if (count <= CARD_DOUBTS_MAX)
        return count;
    texts[CARD_DOUBTS_MAX - 1] =
        arena_printf(arena, "and %zu more reasons, below", count + 1 - CARD_DOUBTS_MAX);
    return CARD_DOUBTS_MAX;
}

const char *const *card_sentences(struct arena *arena, const struct card *card, size_t *count)
{
    const char **texts = ARENA_ARRAY(arena, card->note_count + CARD_DOUBTS_MAX, const char *);
    memcpy(texts, card->notes, card->note_count * sizeof *texts);
    *count = card->note_count + set_doubts(arena, card, texts + card->note_count);
    return texts;
}

static void note_limits(struct arena *arena, struct card *card)
{
    struct choice far = choose(card, by_share);
    for (size_t i = 0; i < far.count; i++)
        note(card, arena_printf(arena, "%s: %.0f %% of its limit of %s", far.figures[i]->title,
                                100 * far.figures[i]->share,
                                unit_text(arena, far.figures[i]->limit, far.figures[i]->unit)));
}

// `shown` and `other` are two values of one figure. Appends `other` to the text `list` if it is
// trusted, is from another benchmark, and differs from `shown` by more than CARD_APART.
static const char *also_measured(struct arena *arena, const char *list,
                                 const struct card_figure *shown, const struct card_figure *other)
{
    if (!card_figure_trusted(other) || strcmp(other->benchmark, shown->benchmark) == 0 ||
        !(fabs(other->value / shown->value - 1) > CARD_APART))
        return list;
    return arena_printf(arena, "%s, %s in %s", list, unit_text(arena, other->value, other->unit),
                        other->benchmark);
}

// Adds a note about each figure for which several benchmarks measured different values.
static void note_others(struct arena *arena, struct card *card)
{
    struct choice trusted = choose(card, by_trust);
    for (size_t i = 0; i < trusted.count; i++) {
        const struct card_figure *shown = trusted.figures[i];
        const char *list = "";
        for (const struct card_figure *other = shown->other; other; other = other->other)
            list = also_measured(arena, list, shown, other);
        for (size_t k = 0; k < card->further_count; k++)
            if (strcmp(card->further[k].title, shown->title) == 0)
                list = also_measured(arena, list, shown, &card->further[k]);
        if (*list)
            note(card, arena_printf(arena,
                                    "%s: %s in %s%s; each measures it in its own way, and the best "
                                    "is shown",
                                    shown->title, unit_text(arena, shown->value, shown->unit),
                                    shown->benchmark, list));
    }
}

void card_judge(struct arena *arena, struct card *card, const struct known_cards *known)
{
    choose_reference(card, known);
    note_reference(arena, card);
    note_flagged(arena, card);
    note_limits(arena, card);
    note_others(arena, card);
}

// ---------------------------------------------------------------- the card as JSON

static void put_figure(struct json_out *out, const struct card_figure *figure)
{
    const char *unit = figure->unit == UNIT_FLOP_PER_S ? "FLOP/s" : unit_name(figure->unit);
    json_put_open(out, NULL, '{');
    json_put_text(out, "title", figure->title);
    json_put_text(out, "name", figure->name);
    json_put_text(out, "benchmark", figure->benchmark);
    json_put_text(out, "key", figure->key);
    json_put_text(out, "unit", unit);
    json_put_text(out, "better", words_name(&better_words, figure->better));
    json_put_real(out, "value", figure->value);
    if (isfinite(figure->ci95[0]) && isfinite(figure->ci95[1]))
        json_put_reals(out, "ci95", figure->ci95, 2);
    if (figure->at_least)
        json_put_bool(out, "at_least", true);
    json_put_real(out, "cycles", figure->cycles);
    json_put_real(out, "core_clock_hz", figure->core_clock_hz);
    json_put_real(out, "limit", figure->limit);
    json_put_real(out, "of_limit", figure->share);
    json_put_text(out, "verdict", verdict_name(figure->verdict));
    json_put_text(out, "reason", figure->reason);
    if (figure->provisional)
        json_put_bool(out, "provisional", true);
    json_put_real(out, "reference", figure->reference);
    json_put_close(out, '}');
}

void card_put(struct json_out *out, const char *name, const struct card *card)
{
    json_put_open(out, name, '{');
    json_put_text(out, "device", card->device->id);
    json_put_text(out, "name", card->device->name);
    json_put_text(out, "api", card->api);
    json_put_text(out, "driver", card->device->driver);
    json_put_text(out, "started", card->run->started);
    json_put_text(out, "warning", card->warning);
    json_put_text(out, "reference", card->reference ? card->reference->device : NULL);
    if (card->reference)
        json_put_bool(out, "same_model", card->same_model);
    json_put_open(out, "rows", '[');
    for (size_t i = 0; i < card->count; i++) {
        json_put_open(out, NULL, '{');
        json_put_text(out, "section", words_name(&card_section_words, card->rows[i].section));
        json_put_text(out, "label", card->rows[i].label);
        json_put_open(out, "figures", '[');
        for (size_t k = 0; k < card->rows[i].count; k++)
            put_figure(out, &card->rows[i].figures[k]);
        json_put_close(out, ']');
        json_put_close(out, '}');
    }
    json_put_close(out, ']');
    json_put_open(out, "notes", '[');
    for (size_t i = 0; i < card->note_count; i++)
        json_put_text(out, NULL, card->notes[i]);
    json_put_close(out, ']');
    json_put_close(out, '}');
}
