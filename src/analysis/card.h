// SPDX-License-Identifier: MIT
// The card of a device: at most CARD_ROWS_MAX rows with its most important figures, a comparison
// with the reference card, and notes on what stands out. The rows come from the headlines that the
// benchmarks of the run declare (struct headline_info). A headline names the metric and the cases
// that give a figure, so this file names no benchmark and no metric.
//
// A row has one figure, or two that belong together, for example read and copy, or FP16 and FP8.
// There are two kinds of figures:
//
//   a level    The latency of a level of memory: the median latency of the cases in one flat
//              part of the latency curve (analysis/levels.h). If at least half of these cases are
//              ok, only those that are ok count. The first flat part is L1, the second L2. The
//              last one is DRAM if the curve reaches four times the size of the last cache.
//   the best   The best value of the cases that the headline describes. If two values are at most
//              CARD_NEAR apart and only one of their cases is ok, that one is taken. If the
//              headline names a level (headline_info.level), only cases whose working set fits
//              that level count. For a cache this is the largest working set that is at most half
//              of the size of the cache.
#ifndef ANALYSIS_CARD_H
#define ANALYSIS_CARD_H

#include "analysis/levels.h"
#include "results/results.h"

enum {
    CARD_ROWS_MAX = 14,
    CARD_FIGURES_MAX = 2, // maximum number of figures in a row of the card
    CARD_NOTES_MAX = 5,   // maximum number of notes; further notes are dropped
    CARD_DOUBTS_MAX = 6   // maximum number of sentences about figures that are not trusted
};
#define CARD_NEAR 0.05 // figures count as equal if they differ by at most this share
// If a trusted figure differs by more than this share from the reference card of the same model,
// the card has a note about it. Only the two largest differences have their own notes; one more
// note counts the others.
#define CARD_DIFFERS 0.10
// Several benchmarks may measure the same figure. If the shown value is trusted, and another
// benchmark's trusted value differs from it by more than this share, the card has a note.
#define CARD_APART 0.01
// the card has a note about each trusted figure that is below this share of its physical limit
#define CARD_FAR 0.75

// Code of the finding that fathom found no GPU and measured a CPU. The text of the finding becomes
// the warning above the card's rows.
#define CARD_NO_GPU "no-gpu"

struct card_figure {
    // Title of the figure, such as "DRAM read": the row's label and the figure's name. A figure
    // without a row has the title of its headline, or else the name of its metric.
    const char *title;
    // name of the figure within its row, "read" or "copy"; NULL if the row has one figure
    const char *name;
    const char *benchmark; // name of the benchmark that measured the figure
    unsigned version;
    const char *key; // key of the case that gave the figure
    enum unit unit;  // unit in which screens show the figure
    enum better better;
    // value of the figure; not finite if there is none (`verdict` and `reason` then say why)
    double value;
    double ci95[2]; // 95 % interval of `value`; not finite if unknown
    bool at_least;
    double cycles;        // `value` in cycles of the core clock; not finite if unknown
    double core_clock_hz; // core clock while the figure was measured; not finite if unknown
    double limit;         // physical limit of `value`; not finite or 0 if unknown
    double share;         // `value` as a share of `limit` (metric_share); not finite if unknown
    enum verdict verdict;
    const char *reason; // why the figure's verdict is not ok; NULL if it is ok
    bool provisional;   // true if the run is not finished, so that the figure may still change
    // Value of the same figure, from the same version of the benchmark, on the reference card. Not
    // finite if there is no such value.
    double reference;
    // Next figure that another headline gives for the same row and name; NULL at the end of the
    // list. The row shows only the best of these figures.
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
    // Label of the figure's row, and the figure's name in the row. `name` is NULL if the row has
    // one figure.
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
    const char *api; // API of the device: "vulkan"
    // warning that the device is a CPU and not a GPU; NULL if it is a GPU
    const char *warning;
    // The device's longest latency curve; it has no cases if the run has no curve.
    struct level_curve curve;
    struct card_row rows[CARD_ROWS_MAX];
    size_t count;
    // Figures of the headlines that belong to no section of the card, in the order of the
    // benchmarks that declare them.
    struct card_figure *further;
    size_t further_count, further_capacity;
    // Known card to compare with; NULL if no known card is suitable.
    const struct known_card *reference;
    bool same_model; // true if the reference has the same model name as this card
    // Sentences about figures that stand out. One sentence may say that no figure differs from the
    // reference.
    const char *notes[CARD_NOTES_MAX];
    size_t note_count;
    // Reason that all figures in the note "Not trusted" share. NULL if the note has fewer than two
    // figures, or if their reasons differ.
    const char *shared_reason;
};

// Fills `card` for the run's device with this id. All texts live in `arena` or in the run. Compares
// the card with the most suitable of the `known` cards, but never with one that was made from this
// run. If `known` is NULL or the device is a CPU, the card is not compared.
void card_build(struct arena *arena, const struct run *run, const char *device,
                const struct known_cards *known, struct card *card);

// Chooses the most suitable known card as the reference, adds the reference's values to the
// figures, and writes the notes. card_build calls this function.
void card_judge(struct arena *arena, struct card *card, const struct known_cards *known);

// Returns what stands out: the notes, then sentences that say why figures are not trusted, one for
// each reason: "FP32, FP64: suspect: noisy: ±14 % (goal ±5 %)". If one reason is that of all, the
// notes have it. If there are more than CARD_DOUBTS_MAX reasons, the last sentence says how many
// are left out. Sets *count to the number of texts, which live in `arena` or in the card.
const char *const *card_sentences(struct arena *arena, const struct card *card, size_t *count);

// Returns a sentence about what the run lacks; NULL if it lacks nothing. The sentence says that
// nothing was measured on this device, that none of its cases gave a number, or that the run was
// interrupted or is not finished.
const char *card_state(const struct card *card);

// Returns true if the figure has a final value and the verdict ok.
bool card_figure_trusted(const struct card_figure *figure);

// Returns the figure's difference from its `reference` as a share of the reference, above 0 if the
// figure is better: 0.1 is a bandwidth that is 10 % higher, or a latency that is 10 % lower. NaN if
// the value or the reference is not known.
double card_figure_gain(const struct card_figure *figure);

// Writes the card as a JSON object. `name` is the name of the JSON member, as in json_put_text.
struct json_out;
void card_put(struct json_out *out, const char *name, const struct card *card);

// Returns the known cards of reference/cards.json, a file that is embedded in the program.
const struct known_cards *known_cards_builtin(struct arena *arena);

// known_cards_read reads a text with known cards. If the text is wrong, it returns NULL with
// ERROR_USAGE, and the error message calls the file `name`. known_cards_write writes such a text
// with the trusted figures of `cards`.
const struct known_cards *known_cards_read(struct arena *arena, const char *text, size_t bytes,
                                           const char *name, struct error *err);
MUST_CHECK bool known_cards_write(const struct card *cards, size_t count, FILE *stream,
                                  struct error *err);

#endif
