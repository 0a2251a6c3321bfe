// SPDX-License-Identifier: MIT
// Judges the checks of many machines (`fathom check`, results/check.h) together. Finds broken and
// slow cards, groups of cards that differ, and missing machines.
//
// A card is first judged by its own check, then compared with the cards of its kind: the same model
// through the same API. The kind's median and scale leave out cards that are slow, broken or
// unknown (for example busy) by their own checks. Otherwise, if half of a fleet had lost half of
// its lanes, these cards would look normal.
//
//   loss       How much worse a figure is than the median of the kind: 0.03 means 3 % worse.
//   distance   The same difference in logarithms, counted in scales (math/outliers.h). The scale
//              is the largest of these: the scatter of the kind; half of the card's own 95 %
//              interval; FLEET_RESOLUTION; one step of the core clock, for figures that depend on
//              this clock. Kinds with fewer than FLEET_LEAST cards are not compared.
//   slow       The loss is at least FLEET_EFFECT, and the distance is too large for chance: only
//              the share FLEET_ERROR of all healthy fleets has such a figure anywhere. So if N
//              figures are compared, the chance of a slow one is at most FLEET_ERROR / N
//              (Bonferroni).
//   by check   A card that its own check calls slow is slow, with one exception. If many cards
//              gave an expectation, one healthy figure in a thousand exceeds its bound. If all
//              slow figures of the card are just beyond such bounds, the card is compared like all
//              others, but it is at least doubtful. There is no exception if more figures of the
//              fleet are beyond such bounds than chance explains.
//   doubtful   The loss is at least FLEET_EFFECT, but the distance is unlikely only by the weaker
//              test of the false discovery rate (FLEET_DISCOVERIES). A doubtful card is no failure.
//   noisy      The card is healthy, but the medians of its rounds spread at least FLEET_NOISE
//              times as much as those of the kind. Such a spread must also be as rare among healthy
//              cards as the distance of a slow card.
//   found      The smallest loss that would be called slow on 99 of 100 cards or more: the limit of
//              "slow" plus 2.58 scales for the random error of the card itself (FLEET_MISSED).
#ifndef ANALYSIS_FLEET_H
#define ANALYSIS_FLEET_H

#include "math/outliers.h"
#include "results/check.h"
#include "results/results.h"

#include <regex.h>

// Share of all healthy fleets in which chance makes some card slow. Users are promised at most 1 %.
// The other 0.5 % are for errors of the estimated scatter.
#define FLEET_ERROR 0.005
// Probability that a slow card is missed. Users are promised at most 1 %.
#define FLEET_MISSED      0.005
#define FLEET_DISCOVERIES 0.05
#define FLEET_EFFECT      0.01
#define FLEET_RESOLUTION  0.002
// Probability that a figure of a healthy card is beyond the bound of its check, if the expectation
// comes from many cards.
#define FLEET_BOUND_CHANCE 0.001
#define FLEET_NOISE        3.0

enum {
    // an expectation is "from many cards" if it comes from at least this number of cards
    FLEET_BOUND_CARDS = 8,
    // cards of one kind (model and API) are compared only if there are at least this many
    FLEET_LEAST = 8,
    // A group, such as a rack, is compared with its kind only if at least this many of its cards
    // are compared.
    FLEET_GROUP_LEAST = 3,
    // If fewer cards of a group than this are compared, the group's effect is reduced towards 0.
    // A correlation needs at least this many cards.
    FLEET_GROUP_FULL = 20
};

// Grades of a card, from good to bad.
enum fleet_grade {
    FLEET_HEALTHY,
    FLEET_NOISY,
    FLEET_UNKNOWN, // no grade, for example because the card was busy or was not measured
    FLEET_DOUBTFUL,
    FLEET_SLOW,
    FLEET_BROKEN,
    FLEET_GRADE_COUNT
};

const char *fleet_grade_name(enum fleet_grade grade); // returns the name of a grade: "healthy"

// Returns the name of a metric on screens: "DRAM read". It is the one on the card and in checks.
const char *fleet_metric_title(enum check_metric metric);

// Returns a share as text: "2.7 %". From 999.5 % on, in either direction, the text is "over 999 %"
// or "under -999 %", because such a value is surely wrong. NaN gives "–".
const char *fleet_percent(struct arena *arena, double share);

struct fleet_point {
    // the card's figure of one metric; NULL if it was not measured
    const struct check_figure *figure;
    // how much worse the figure is than the median of the card's kind (0.03: 3 % worse); NaN if
    // unknown
    double loss;
    // how unusual the loss is among the cards of the kind, as a standard normal value
    // (math/outliers.h); NaN if there are too few cards
    double score;
    // probability that a healthy card has at least this score; NaN if the card is not compared
    double chance;
    // true if the card's own check or the comparison with other cards called the figure slow
    bool slow;
};

struct fleet_card {
    const char *host, *file;
    // Name, driver and API of the card, version of fathom, and start of the run. Each is NULL if
    // the file lacks it.
    const char *name, *driver, *api, *tool, *started;
    struct check check;
    size_t kind; // index in fleet.kinds; SIZE_MAX if the name of the card is not known
    // The card's figure of each metric and how it compares. Of several links, the slowest counts.
    struct fleet_point points[CHECK_METRIC_COUNT];
    // True if the card's figures are used for the median and the scatter of its kind.
    bool compared;
    enum fleet_grade grade;
    // short word for the cause of the grade: from check_code_words, or "below-fleet", "noisy"
    const char *code;
    const char *cause; // why the card has its grade, as one sentence
    // Largest loss among the card's slow figures (0.03: 3 % worse); 0 if there is none. For a
    // doubtful card, figures with a loss of at least FLEET_EFFECT count, too.
    double loss;
};

struct fleet_metric {
    struct fleet_card **cards; // the compared cards that measured the metric, the best first
    size_t count;
    double median, low, high; // median, 1 % and 99 % quantile of the figures of `cards`
    // Median of the values that the checks expect; NaN if no check expects one.
    double expected;
    // Scale of a card whose interval is as wide as the median of the kind's intervals. Distances
    // are counted in scales ("distance" at the top of this file).
    double scale;
    // Smallest loss that would be called slow on at least 99 of 100 cards; NaN if the kind has too
    // few cards.
    double found;
    size_t slow; // number of cards of the kind whose figure of this metric is slow
    enum unit unit;
    struct population population; // statistics of ln(value), or of −ln(value) if higher is better
};

struct fleet_kind {
    const char *name, *api;
    size_t count;
    // Step in which the core clock changes, as a share of the core clock; 0 if unknown.
    double clock_step;
    // Median of the clocks, the power limit and the state of the link, each over the compared
    // cards. All other numbers are NaN.
    struct check_state normal;
    struct fleet_metric metrics[CHECK_METRIC_COUNT];
};

// Cards of one kind that share a property, such as their rack, and differ from the rest of the
// kind.
struct fleet_group {
    // the property that the cards share: "rack r01", "group blue", "GPU 3", "driver 580.1"
    const char *name;
    size_t kind, count;
    enum check_metric metric;
    // Median loss of the group's cards minus the median loss of the kind. It is above 0 if the
    // group is slower. For a small group this difference is reduced towards 0.
    double effect;
    double score;
};

// A quantity, such as the temperature, that is correlated with the cards' losses in one metric.
struct fleet_relation {
    const char *with; // name of the quantity: "temperature"
    size_t kind;
    enum check_metric metric;
    double rank; // rank correlation of the loss with the quantity
    // Difference of two median losses: of the quarter of cards with the highest values of the
    // quantity, minus the quarter with the lowest values.
    double quarters;
};

// An entry in the list of cards that somebody should look at. It has all cards of one host with the
// same grade and code.
struct fleet_entry {
    const struct fleet_card *card; // the worst card of the entry
    size_t count;
    const char *cards; // the entry's cards as text: "card 5", "cards 0, 3", "all 8 cards"
};

struct fleet {
    struct arena *arena;
    struct fleet_card **cards; // the cards; fleet_judge sorts them by host, API and index
    size_t count, capacity;
    size_t files; // number of run files that were read and used
    // number of checks that were dropped because another fathom process of the same host made them
    size_t shared;
    struct named_text *left; // files that were left out: their names and the reasons
    size_t left_count, left_capacity;
    regex_t *group_pattern; // regular expression of fleet_group_by; NULL if groups are racks

    // The members below are set by fleet_judge.
    struct fleet_kind *kinds;
    size_t kind_count;
    size_t hosts;
    size_t grades[FLEET_GRADE_COUNT];
    // Number of figures that were compared with the figures of other cards.
    size_t tests;
    struct fleet_entry *list; // cards that somebody should look at, the worst entry first
    size_t list_count;
    // Groups that differ from their kind. The group that is least likely by chance comes first.
    struct fleet_group *groups;
    size_t group_count, group_capacity;
    struct fleet_relation *relations; // correlations with a loss, the strongest first
    size_t relation_count, relation_capacity;
    // sentences about the fleet; the name of each is its subject: "missing", "version", "few",
    // "expectation" or "group"
    struct named_text *remarks;
    size_t remark_count, remark_capacity;
};

struct fleet *fleet_create(void);
void fleet_destroy(struct fleet *fleet);

// Adds the checks of a run. If the run has no checks, adds the figures of its devices' cards
// (analysis/card.h). Keeps no pointer into the run. A file without checks and figures is left out.
// fleet_judge also leaves out a file if other files have the same or newer checks of all its cards.
void fleet_add_run(struct fleet *fleet, struct run *run, const char *file);

// Records that a file is left out, and why.
void fleet_leave_out(struct fleet *fleet, const char *file, const char *why);

// Groups the cards by the names of their hosts instead of by racks. `pattern` is an extended
// regular expression. The text that its first parentheses match becomes the name of the group. If
// it has no parentheses, all that the pattern matches is the name.
bool fleet_group_by(struct fleet *fleet, const char *pattern, struct error *err);

// Judges all cards. Must be called once, after the last card was added.
void fleet_judge(struct fleet *fleet);

// Returns true if any card is broken or slow.
bool fleet_failed(const struct fleet *fleet);

// The parts of fleet_judge, in the order of their calls. fleet_keep_each_once sorts the cards and
// keeps one check of each card. fleet_compare finds the kinds, their metrics, and how rare each
// card's loss is. fleet_find_patterns finds groups that differ, correlations and remarks.
void fleet_keep_each_once(struct fleet *fleet);
void fleet_compare(struct fleet *fleet);
void fleet_find_patterns(struct fleet *fleet);

// Returns the share by which `value` is worse than `other`: 0.5 for half a bandwidth, 1 for twice a
// latency.
double fleet_loss(enum check_metric metric, double value, double other);

#endif
