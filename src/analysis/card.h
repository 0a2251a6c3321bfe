// SPDX-License-Identifier: MIT
// The card of a device: at most CARD_ROWS_MAX rows of the figures that tell what this device is
// like, what a known card reaches, and what stands out. The rows come from the headlines that the
// benchmarks of the run declare (struct headline_info): no benchmark or metric is named here.
//
// A row has one figure, or two that belong together: read and copy, FP16 and FP8. A figure is one
// of these:
//
//   a level    the latency of a level of memory: the case with the median of a flat part of the
//              latency curve (analysis/levels.h); of the cases that are ok, if at least half are.
//              The first flat part is L1, the second L2; the last is DRAM if the curve goes on to
//              four times the size at which it begins
//   the best   the best of the cases that the headline describes. A case that is ok counts before
//              a better one that is not, if it is at most CARD_NEAR apart from it. Cases
//              of a level (headline_info.level) have a working set that fits it: of a cache the
//              largest that is at most half of its size
#ifndef ANALYSIS_CARD_H
#define ANALYSIS_CARD_H

#include "analysis/levels.h"
#include "results/results.h"

enum {
    CARD_ROWS_MAX = 14,
    CARD_FIGURES_MAX = 2, // of a row
    CARD_NOTES_MAX = 5
};
#define CARD_NEAR    0.05 // relative difference of figures that count as equal
#define CARD_DIFFERS 0.10 // relative difference from a reference that stands out
#define CARD_APART   0.01 // relative difference of two figures of one thing that is worth a note
#define CARD_FAR     0.75 // a share of the limit below which a figure stands out

// Code of the finding of a run that found no GPU and measured a CPU; its text is the warning.
#define CARD_NO_GPU "no-gpu"

struct card_figure {
    const char *title;     // row and name, as "DRAM read"; of card.further: the headline's title
    const char *name;      // in a row of two figures: "read"; else NULL
    const char *benchmark; // where it comes from
    unsigned version;
    const char *key; // the case
    enum unit unit;  // the unit that screens show
    enum better better;
    double value;   // not finite: not measured; the verdict and the reason say why
    double ci95[2]; // not finite = not known
    bool at_least;
    double cycles; // the same in cycles of the core clock; not finite = not known
    double limit;  // physical limit; not finite = not known
    double share;  // of the limit (metric_share); not finite = not known
    enum verdict verdict;
    const char *reason; // why the verdict is not ok; NULL if it is
    bool provisional;   // the run is still measuring it
    double reference;   // the value of card.reference; not finite: it has none of this version
    // Figures of the same name that are worse, from other headlines; NULL: there is none
    const struct card_figure *other;
};

struct card_row {
    enum card_section section;
    const char *label; // "L2 latency"
    struct card_figure figures[CARD_FIGURES_MAX];
    size_t count;
};

// A card of reference/ as the program knows it (reference/cards.json).
struct known_figure {
    const char *row, *name; // name: NULL if the row has one figure
    const char *benchmark;
    unsigned version;
    double value; // its verdict was ok
};
struct known_card {
    const char *device, *api, *preset, *started;
    struct known_figure *figures;
    size_t count;
};
struct known_cards {
    struct known_card *cards;
    size_t count;
};

struct card {
    const struct run *run;
    const struct run_device *device;
    const char *api;          // "vulkan"
    const char *warning;      // a line above all: no GPU was measured; NULL: one was
    struct level_curve curve; // of the latency; without cases if there is none
    struct card_row rows[CARD_ROWS_MAX];
    size_t count;
    // The other headlines of kind HEADLINE_BEST, in the order of the benchmarks.
    struct card_figure *further;
    size_t further_count, further_capacity;
    const struct known_card *reference; // NULL: none is known for this API
    bool same_model;                    // the reference is of the same model
    // What stands out, a sentence each: what differs from a reference of the same model, what is
    // not trusted, what is far from its limit, of what several benchmarks give different figures.
    const char *notes[CARD_NOTES_MAX];
    size_t note_count;
};

// Fills the card of the run's device with this id. All texts live in `arena` or in the run.
// `known`: cards to put beside it; NULL: none. A run is never its own reference.
void card_build(struct arena *arena, const struct run *run, const char *device,
                const struct known_cards *known, struct card *card);

// Puts the most suitable of the known cards beside the rows and adds the notes. card_build calls
// it.
void card_judge(struct arena *arena, struct card *card, const struct known_cards *known);

// True if the figure has a value that is final, and the verdict ok.
bool card_figure_trusted(const struct card_figure *figure);

// How much better (above 0) or worse the figure is than `reference`, relative to it: 0.1 = 10 %
// faster. NaN if one of the two is not known.
double card_figure_gain(const struct card_figure *figure);

// True if two figures of a row have the same name, or none.
bool card_same_name(const char *one, const char *other);

// The card as a JSON object. `name`: as json_put_text.
struct json_out;
void card_put(struct json_out *out, const char *name, const struct card *card);

// The cards of reference/cards.json, which is in the program.
const struct known_cards *known_cards_builtin(struct arena *arena);

// Reads and writes such a file. A figure that is not trusted is not written. NULL with ERROR_USAGE
// if the text is not such a file; `name` is for messages.
const struct known_cards *known_cards_read(struct arena *arena, const char *text, size_t bytes,
                                           const char *name, struct error *err);
MUST_CHECK bool known_cards_write(const struct card *cards, size_t count, FILE *stream,
                                  struct error *err);

#endif
