// SPDX-License-Identifier: MIT
// Judges the checks of many machines (`fathom check`, results/check.h) together: finds cards that
// are broken or slow, groups of cards that differ, and machines that are missing.
//
// A card is first judged by its own check, then compared with the cards of its kind: the same model
// through the same API. Cards that their check called slow, broken or busy are not part of what
// others are compared with: if half of a fleet has half the lanes, the median must not hide it.
//
//   distance   A loss is −ln(value) or, if lower is better, ln(value): 0.03 means 3 % worse. Its
//              distance from the median of the kind is counted in scales (math/outliers.h). The
//              scale is at least that of the kind, half the card's own 95 % interval, one step of
//              the core clock (for figures that the core clock drives), and FLEET_RESOLUTION. Kinds
//              with fewer than FLEET_LEAST cards are not compared.
//   slow       The loss is at least FLEET_EFFECT, and its distance is so large that only a share
//              FLEET_ERROR of all healthy fleets has such a figure anywhere: with N figures, the
//              chance of each is at most FLEET_ERROR / N (Bonferroni).
//   by check   A card that its check calls slow is slow. Exception: figures just beyond the bound
//              of an expectation from many cards, which one healthy figure in a thousand breaks.
//              They are compared like all others, and the card is at least doubtful. The exception
//              does not hold if more figures break such bounds than chance explains.
//   doubtful   The loss is as large as for slow, but only the false discovery rate
//              (FLEET_DISCOVERIES) says that it is no chance. It is worth a look, and no failure.
//   noisy      The spread of a card's samples is as rare as for slow, and at least FLEET_NOISE
//              times that of the kind. The card is not slow.
//   found      The smallest loss with which 99 of 100 cards would be called slow: the limit above
//              plus 2.58 scales for the chance of the card itself (FLEET_MISSED).
#ifndef ANALYSIS_FLEET_H
#define ANALYSIS_FLEET_H

#include "math/outliers.h"
#include "results/check.h"
#include "results/results.h"

#include <regex.h>

#define FLEET_ERROR        0.005 // half of the promised 1 %: the scale is an estimate too
#define FLEET_MISSED       0.005 // likewise half: 99 of 100 are promised
#define FLEET_DISCOVERIES  0.05
#define FLEET_EFFECT       0.01
#define FLEET_RESOLUTION   0.002
#define FLEET_BOUND_CHANCE 0.001 // chance that a healthy figure breaks a bound made from many cards
#define FLEET_NOISE        3.0

enum {
    FLEET_BOUND_CARDS = 8, // an expectation from at least so many cards has such a bound
    FLEET_LEAST = 8,       // least number of cards of a kind for a comparison
    FLEET_GROUP_LEAST = 3, // least number of cards of a group
    FLEET_GROUP_FULL = 20  // the effect of a group with fewer cards is shrunk towards 0
};

// Grades, from good to bad.
enum fleet_grade {
    FLEET_HEALTHY,
    FLEET_NOISY,
    FLEET_UNKNOWN, // not judged: the card was busy, was not measured, …
    FLEET_DOUBTFUL,
    FLEET_SLOW,
    FLEET_BROKEN,
    FLEET_GRADE_COUNT
};

const char *fleet_grade_name(enum fleet_grade grade); // "healthy"

const char *fleet_metric_title(enum check_metric metric); // for people: "DRAM read"

// Returns the unit that screens show instead of `unit`: operations become floating-point
// operations, since all operations of checks are.
enum unit fleet_unit(enum unit unit);

// Returns a share as text: "2.7 %", or "over 999 %" for values that cannot be true.
const char *fleet_percent(struct arena *arena, double share);

struct fleet_point {
    const struct check_figure *figure; // NULL: not measured
    double loss;   // relative to the median of the kind: 0.03 = 3 % worse; NaN: not known
    double score;  // distance of the loss from the median, in scales; NaN: too few cards
    double chance; // chance of such a score for a healthy card; NaN: the card is not compared
    bool slow;     // the check or the comparison called the figure slow
};

struct fleet_card {
    const char *host, *file;
    const char *name, *driver, *api, *tool, *started; // NULL: the file does not say
    struct check check;
    size_t kind;                                   // index in fleet.kinds
    struct fleet_point points[CHECK_METRIC_COUNT]; // the slowest link
    bool compared;                                 // true: other cards are compared with this one
    enum fleet_grade grade;
    const char *code;  // a word of check_code_words, or "below-fleet", "noisy"
    const char *cause; // one sentence
    double loss;       // largest loss of the figures that are slow; 0: no figure is slow
};

struct fleet_metric {
    struct fleet_card **cards; // cards that measured the metric and are compared, the best first
    size_t count;
    double median, low, high; // of these cards' values: median, 1 % and 99 % quantile
    double expected;          // median of the values that the checks expect; NaN: none is expected
    double sigma;             // standard deviation of the losses
    double scale;             // `sigma`, but at least the floor of "distance" above
    double found;             // the smallest loss that would be found; NaN: not compared
    size_t slow;              // number of cards of which this figure is slow
    enum unit unit;
    struct population population; // distribution of the losses
};

struct fleet_kind {
    const char *name, *api;
    size_t count;
    double clock_step;         // relative to the core clock; 0: not known
    struct check_state normal; // median of each number over the compared cards
    struct fleet_metric metrics[CHECK_METRIC_COUNT];
};

// Cards of one kind that have something in common and differ from the rest of the kind.
struct fleet_group {
    const char *name; // "rack r01", "group blue", "GPU 3", "driver 580.1", "VBIOS 96.00.74"
    size_t kind, count;
    enum check_metric metric;
    double effect; // loss relative to the kind, above 0 if slower; shrunk if the group is small
    double score;
};

// A quantity that goes with the loss in one metric.
struct fleet_relation {
    const char *with; // name of the quantity: "temperature"
    size_t kind;
    enum check_metric metric;
    double rank;     // rank correlation of the loss with the quantity
    double quarters; // loss of the quarter of cards with most of `with`, less that of the quarter
                     // with least
};

// A line of the list of cards to look at: cards of one host with the same grade and code.
struct fleet_entry {
    const struct fleet_card *card; // the worst of them
    size_t count;
    const char *cards; // "card 5", "cards 0, 3", "all 8 cards"
};

struct fleet {
    struct arena *arena;
    struct fleet_card **cards; // sorted by host, API and index
    size_t count, capacity;
    size_t files;            // number of files that were read and used
    size_t shared;           // number of dropped checks that another process measured
    struct named_text *left; // files that were left out, each with the reason
    size_t left_count, left_capacity;
    regex_t *group_pattern; // of fleet_group_by; NULL: by racks

    // fleet_judge fills the members below.
    struct fleet_kind *kinds;
    size_t kind_count;
    size_t hosts;
    size_t grades[FLEET_GRADE_COUNT];
    size_t tests;             // number of figures that were compared
    struct fleet_entry *list; // the worst entry first
    size_t list_count;
    struct fleet_group *groups; // the surest first
    size_t group_count, group_capacity;
    struct fleet_relation *relations; // the strongest first
    size_t relation_count, relation_capacity;
    struct named_text
        *remarks; // "missing", "version", "few", "expectation", "group": each a sentence
    size_t remark_count, remark_capacity;
};

struct fleet *fleet_create(void);
void fleet_destroy(struct fleet *fleet);

// Adds the checks of a run or, if it has none, the figures of its cards (analysis/card.h). Keeps no
// pointer into the run. A file with neither is left out; fleet_judge also leaves out a file if
// other files have the same or newer checks of all its cards.
void fleet_add_run(struct fleet *fleet, struct run *run, const char *file);

// Notes that a file is left out, and why.
void fleet_leave_out(struct fleet *fleet, const char *file, const char *why);

// Groups the cards by their hosts with this pattern instead of by racks. It is an extended regular
// expression; a group is what its first parentheses match or, if it has none, the whole pattern.
bool fleet_group_by(struct fleet *fleet, const char *pattern, struct error *err);

// Judges all cards. Call it once, after the last card was added.
void fleet_judge(struct fleet *fleet);

// True if a card is broken or slow.
bool fleet_failed(const struct fleet *fleet);

// The steps of fleet_judge, in the order of their calls. fleet_keep_each_once sorts the cards and
// keeps one check of each; fleet_compare finds the kinds, their metrics and the scores;
// fleet_find_patterns finds the groups, relations and remarks.
void fleet_keep_each_once(struct fleet *fleet);
void fleet_compare(struct fleet *fleet);
void fleet_find_patterns(struct fleet *fleet);

// Returns how much worse `value` is than `other`: 0.5 for half a bandwidth, 1 for twice a latency.
double fleet_loss(enum check_metric metric, double value, double other);

#endif
