// SPDX-License-Identifier: MIT
// The card of a device: at most CARD_ROWS_MAX rows with its most important figures, a comparison
// with the reference card, and notes on what stands out. The rows come from the headlines that the
// benchmarks of the run declare (struct headline_info): no benchmark or metric is named here.
//
// A row has one figure, or two that belong together: read and copy, FP16 and FP8. There are two
// kinds of figures:
//
//   a level    The latency of a level of memory. It is that of the case with the median latency in
//              a flat part of the latency curve (analysis/levels.h). If at least half of the cases
//              are ok, only those are considered. The first flat part is L1, the second L2. The
//              last one is DRAM if the curve reaches four times the size at which that part begins.
//   the best   The best of the cases that the headline describes. A case that is ok is preferred
//              to a better one that is not ok, if they are at most CARD_NEAR apart. If the headline
//              names a level (headline_info.level), only cases whose working set fits that level
//              count: for a cache the largest working set that is at most half of its size.
#ifndef ANALYSIS_CARD_H
#define ANALYSIS_CARD_H

#include "analysis/levels.h"
#include "results/results.h"

enum {
    CARD_ROWS_MAX = 14,
    CARD_FIGURES_MAX = 2, // maximum number of figures in a row
    CARD_NOTES_MAX = 5
};
#define CARD_NEAR 0.05 // figures with at most this relative difference count as equal
// A note mentions a figure that differs from the reference by more than this share.
#define CARD_DIFFERS 0.10
// If several benchmarks measure the same figure, and their values differ by more than this share,
// the card has a note about it.
#define CARD_APART 0.01
#define CARD_FAR   0.75 // a note mentions a figure below this share of its physical limit

// Code of the finding that fathom found no GPU and measured a CPU. The text of the finding becomes
// the warning above the card's rows.
#define CARD_NO_GPU "no-gpu"

struct card_figure {
    // Title: the row's label and the name, "DRAM read"; in card.further the headline's title.
    const char *title;
    const char *name;      // name within its row, "read" or "copy"; NULL if the row has one figure
    const char *benchmark; // the benchmark that measured the figure
    unsigned version;
    const char *key; // key of the case that the figure is from
    enum unit unit;  // unit in which screens show the figure
    enum better better;
    double value;   // not finite: there is no value (`verdict` and `reason` say why)
    double ci95[2]; // 95 % interval of `value`; not finite: not known
    bool at_least;
    double cycles; // `value` in cycles of the core clock; not finite: not known
    double limit;  // physical limit of `value`; not finite: not known
    double share;  // `value` as a share of `limit` (metric_share); not finite: not known
    enum verdict verdict;
    const char *reason; // why the verdict is not ok; NULL if it is ok
    bool provisional;   // true: the run is not finished and may still change the figure
    // The same figure of the reference card; not finite: that card has none of this `version`.
    double reference;
    // Next element in the list of figures of the same row and name that other headlines gave and
    // that are worse; NULL: end of the list.
    const struct card_figure *other;
};

struct card_row {
    enum card_section section;
    const char *label; // label of the row: "L2 latency"
    struct card_figure figures[CARD_FIGURES_MAX];
    size_t count;
};

// One figure of a known card. Known cards are listed in reference/cards.json.
struct known_figure {
    // Label of the row, name in the row; `name` is NULL if the row has one figure.
    const char *row, *name;
    const char *benchmark;
    unsigned version;
    double value; // value of the figure; only figures with the verdict ok are in the file
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
    const char *api;     // API of the device: "vulkan"
    const char *warning; // text that says that no GPU was measured; NULL: a GPU was measured
    // The device's longest latency curve; it has no cases if the run has no curve.
    struct level_curve curve;
    struct card_row rows[CARD_ROWS_MAX];
    size_t count;
    // Figures without a row, from headlines of kind HEADLINE_BEST, in the order of the benchmarks.
    struct card_figure *further;
    size_t further_count, further_capacity;
    // Known card to compare with; NULL: no known card is suitable.
    const struct known_card *reference;
    bool same_model; // true: the reference has the same model name as this card
    // Sentences about figures that stand out: they differ from a reference of the same model, are
    // not trusted, are far from their limit, or several benchmarks measured different values for
    // them.
    const char *notes[CARD_NOTES_MAX];
    size_t note_count;
};

// Fills `card` for the run's device with this id. All texts live in `arena` or in the run. The card
// is compared with the most suitable of the `known` cards (NULL: with none), but never with a known
// card that was made from this run.
void card_build(struct arena *arena, const struct run *run, const char *device,
                const struct known_cards *known, struct card *card);

// Chooses the most suitable known card as the reference, adds the reference's values to the
// figures, and writes the notes. card_build calls this function.
void card_judge(struct arena *arena, struct card *card, const struct known_cards *known);

// Returns a sentence that says what the run lacks: nothing was measured on this device, none of its
// cases gave a number, or the run was interrupted or is not finished. NULL if nothing is lacking.
const char *card_state(const struct card *card);

// Returns true if the figure has a final value and the verdict ok.
bool card_figure_trusted(const struct card_figure *figure);

// Returns the figure's relative difference to its `reference`, above 0 if the figure is better: 0.1
// means 10 % better. NaN if the value or the reference is not known.
double card_figure_gain(const struct card_figure *figure);

// True if the two names are equal or both are NULL.
bool card_same_name(const char *one, const char *other);

// Writes the card as a JSON object. `name` is the name of the JSON member, as in json_put_text.
struct json_out;
void card_put(struct json_out *out, const char *name, const struct card *card);

// Returns the known cards of reference/cards.json, a file that is embedded in the program.
const struct known_cards *known_cards_builtin(struct arena *arena);

// known_cards_read reads the text of a file of known cards. It returns NULL with ERROR_USAGE if the
// text is not such a file; error messages call the file `name`. known_cards_write writes such a
// file with the trusted figures of `cards`.
const struct known_cards *known_cards_read(struct arena *arena, const char *text, size_t bytes,
                                           const char *name, struct error *err);
MUST_CHECK bool known_cards_write(const struct card *cards, size_t count, FILE *stream,
                                  struct error *err);

#endif
