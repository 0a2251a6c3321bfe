// SPDX-License-Identifier: MIT
// The checks of many machines (`fathom check`, results/check.h) as one judgement: which cards are
// broken or slow, which groups of cards differ, and which machines are missing.
//
// A card is first judged by what its check says, then by comparison with the cards of its kind: the
// same model through the same API. What the check called slow, broken or busy is no part of what
// the others are compared with; else half a fleet on half a link would be the median.
//
//   distance   A loss is −ln(value) or, where lower is better, ln(value): 0.03 is 3 % worse. Its
//              distance from the kind's median is counted in scales (math/outliers.h). The scale is
//              never less than that of the kind, half the card's own 95 % interval, a step of the
//              core clock (for what the core clock drives), and FLEET_RESOLUTION. Kinds of less
//              than FLEET_LEAST cards are not compared.
//   slow       The distance is one that FLEET_ERROR of all healthy fleets have anywhere: for each
//              of N figures the chance is FLEET_ERROR / N (Bonferroni). And the loss is at least
//              FLEET_EFFECT.
//   by check   A slow verdict of a check counts, but not that of figures just beyond a bound which
//              one healthy figure in a thousand breaks (an expectation of many cards): they are
//              compared like all others, and else doubtful. Unless more break it than chance lets.
//   doubtful   The loss is as large, but only the false discovery rate (FLEET_DISCOVERIES) says
//              that it is no chance: worth a look, no reason to fail.
//   noisy      The spread of a card's samples is that far above the kind's, and at least
//              FLEET_NOISE times as large. The card is not slow.
//   found      The smallest loss that 99 of 100 cards with it would be called slow for: the limit
//              above, and 2.58 scales for the chance of the card itself (FLEET_MISSED).
#ifndef ANALYSIS_FLEET_H
#define ANALYSIS_FLEET_H

#include "math/outliers.h"
#include "results/check.h"
#include "results/results.h"

#define FLEET_ERROR        0.005 // 1 % is promised: the scale itself is an estimate
#define FLEET_MISSED       0.005 // likewise: 99 of 100 are promised
#define FLEET_DISCOVERIES  0.05
#define FLEET_EFFECT       0.01
#define FLEET_RESOLUTION   0.002
#define FLEET_BOUND_CHANCE 0.001 // of a healthy figure beyond the bound of many cards
#define FLEET_NOISE        3.0

enum {
    FLEET_BOUND_CARDS = 8, // from so many cards on an expectation has such a bound
    FLEET_LEAST = 8,       // cards of a kind that is compared
    FLEET_GROUP_LEAST = 3, // cards of a group
    FLEET_GROUP_FULL = 20  // a smaller group's effect shrinks towards that of the fleet
};

// From good to bad.
enum fleet_grade {
    FLEET_HEALTHY,
    FLEET_NOISY,
    FLEET_UNKNOWN, // busy, not measured …: not judged
    FLEET_DOUBTFUL,
    FLEET_SLOW,
    FLEET_BROKEN,
    FLEET_GRADE_COUNT
};

const char *fleet_grade_name(enum fleet_grade grade); // "healthy"

const char *fleet_metric_title(enum check_metric metric); // "DRAM read"

// The unit that screens show: all operations of checks are floating-point.
enum unit fleet_unit(enum unit unit);

// A share for people: "2.7 %", and "over 999 %" of what cannot be true.
const char *fleet_percent(struct arena *arena, double share);

struct fleet_point {
    const struct check_figure *figure; // NULL: not measured
    double loss;   // relative to the median of the kind: 0.03 = 3 % worse; NaN: there is none
    double score;  // of the loss; NaN: the kind has too few cards
    double chance; // of such a score; NaN: the card is no part of the comparison
    bool slow;     // by the check, or by the comparison
};

struct fleet_card {
    const char *host, *file;
    const char *name, *driver, *api, *tool, *started; // NULL: the file does not say
    struct check check;
    size_t kind;                                   // index in fleet.kinds
    struct fleet_point points[CHECK_METRIC_COUNT]; // the slowest link
    bool compared;                                 // among those that others are compared with
    enum fleet_grade grade;
    const char *code;  // as in check_code_words, or "below-fleet", "noisy"
    const char *cause; // one sentence
    double loss;       // the largest of the figures that are slow; 0: none is
};

struct fleet_metric {
    struct fleet_card **cards; // that were measured and are compared, the best first
    size_t count;
    double median, low, high; // values of those: median, 1 % and 99 % quantile
    double expected;          // the median of what their checks expect; NaN: nothing
    double sigma;             // relative
    double scale;             // as `sigma`, with the floors of a typical card
    double found;             // the smallest loss that would be found; NaN: not compared
    size_t slow;              // cards of which this figure is slow
    enum unit unit;
    struct population population; // of the losses
};

struct fleet_kind {
    const char *name, *api;
    size_t count;
    double clock_step;         // relative to the core clock; 0: not known
    struct check_state normal; // the median of each number
    struct fleet_metric metrics[CHECK_METRIC_COUNT];
};

// Cards that have something in common and differ from the rest of their kind.
struct fleet_group {
    const char *name; // "rack r01", "GPU 3", "driver 580.1"
    size_t kind, count;
    enum check_metric metric;
    double effect; // above 0: slower; shrunk if the group is small
    double score;
};

// What slow cards have in common.
struct fleet_relation {
    const char *with; // "temperature"
    size_t kind;
    enum check_metric metric;
    double rank;     // correlation of the loss with it
    double quarters; // how much slower the quarter with the most of it is than that with the least
};

// What to look at: cards of one host with the same code.
struct fleet_entry {
    const struct fleet_card *card; // the worst of them
    size_t count;
    const char *cards; // "card 5", "cards 0, 3", "all 8 cards"
};

struct fleet {
    struct arena *arena;
    struct fleet_card **cards; // by host and index
    size_t count, capacity;
    size_t files;            // that were read and used
    size_t shared;           // checks that another process of the same host wrote as well
    struct named_text *left; // files that were left out, and why
    size_t left_count, left_capacity;

    // fleet_judge fills these.
    struct fleet_kind *kinds;
    size_t kind_count;
    size_t hosts;
    size_t grades[FLEET_GRADE_COUNT];
    size_t tests;             // figures that were compared
    struct fleet_entry *list; // the worst first
    size_t list_count;
    struct fleet_group *groups; // the surest first
    size_t group_count, group_capacity;
    struct fleet_relation *relations; // the strongest first
    size_t relation_count, relation_capacity;
    struct named_text *remarks; // "missing", "version", "expectation": a sentence each
    size_t remark_count, remark_capacity;
};

struct fleet *fleet_create(void);
void fleet_destroy(struct fleet *fleet);

// Adds the checks of a run; of a run without checks, the figures of its cards (analysis/card.h).
// Nothing of the run is kept. A file without either, or with nothing newer about any card than
// another file has, is left out.
void fleet_add_run(struct fleet *fleet, struct run *run, const char *file);

// Notes a file that is left out.
void fleet_leave_out(struct fleet *fleet, const char *file, const char *why);

// Judges all cards, once all are added.
void fleet_judge(struct fleet *fleet);

// True if a card is broken or slow.
bool fleet_failed(const struct fleet *fleet);

// The steps of fleet_judge, which calls them in this order. The first sorts the cards and keeps one
// check of each, the second finds the kinds, their metrics and the scores, the third the groups,
// relations and remarks.
void fleet_keep_each_once(struct fleet *fleet);
void fleet_compare(struct fleet *fleet);
void fleet_find_patterns(struct fleet *fleet);

// How much worse a value is than another: 0.5 for half a bandwidth, 1 for twice a latency.
double fleet_loss(enum check_metric metric, double value, double other);

#endif
