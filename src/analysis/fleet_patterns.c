// SPDX-License-Identifier: MIT
// Finds what cards of a fleet have in common: groups, quantities that are correlated with a loss,
// and machines that are missing.
#include "analysis/fleet.h"
#include "base/text.h"
#include "math/stats.h"

#include <ctype.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

// Name of the group of all hosts that the pattern of fleet_group_by does not match.
#define NO_GROUP "no group"

static void remark(struct fleet *fleet, const char *name, const char *text)
{
    fleet->remarks = arena_grow(fleet->arena, fleet->remarks, fleet->remark_count,
                                &fleet->remark_capacity, sizeof *fleet->remarks);
    fleet->remarks[fleet->remark_count++] = (struct named_text){name, text};
}

// ---------------------------------------------------------------- names of hosts

// A host's name, split at the last number before its domain: "r01n17.eu" is "r01n", 17, ".eu".
struct numbered {
    // Length of the name before the number. If the name has no number of up to nine digits, length
    // of the whole name.
    size_t before;
    size_t digits;
    unsigned long number;
    const char *rest;
};

static struct numbered number_of(const char *host)
{
    size_t end = strcspn(host, "."), start;
    while (end > 0 && !isdigit((unsigned char)host[end - 1]))
        end--;
    for (start = end; start > 0 && isdigit((unsigned char)host[start - 1]);)
        start--;
    if (start == end || end - start > 9)
        return (struct numbered){.before = strlen(host), .rest = ""};
    return (struct numbered){start, end - start, strtoul(host + start, NULL, 10), host + end};
}

// Returns true if the names of both hosts have a number and are equal except for this number.
static bool is_same_row(const char *a, const char *b)
{
    const struct numbered x = number_of(a), y = number_of(b);
    return x.digits && y.digits && x.before == y.before && strncmp(a, b, x.before) == 0 &&
           strcmp(x.rest, y.rest) == 0;
}

// Returns the rack or partition of the card's host as a text. It is the part of the host's name
// before the machine's number, up to the last digit: "rack r01" for "r01n17". If this part has no
// digit, separators at its end are removed: "rack gpu-a" for "gpu-a-017".
static const char *rack_of(const struct fleet *fleet, const struct fleet_card *card)
{
    size_t length = number_of(card->host).before, end = length;
    while (end > 0 && !isdigit((unsigned char)card->host[end - 1]))
        end--;
    while (end == 0 && length > 1 && !isalnum((unsigned char)card->host[length - 1]))
        length--;
    return arena_printf(fleet->arena, "rack %.*s", (int)(end ? end : length), card->host);
}

static const char *group_of(const struct fleet *fleet, const struct fleet_card *card)
{
    regmatch_t parts[2];
    if (regexec(fleet->group_pattern, card->host, COUNT(parts), parts, 0) != 0)
        return NO_GROUP;
    const regmatch_t *part = &parts[parts[1].rm_so >= 0];
    return arena_printf(fleet->arena, "group %.*s", (int)(part->rm_eo - part->rm_so),
                        card->host + part->rm_so);
}

bool fleet_group_by(struct fleet *fleet, const char *pattern, struct error *err)
{
    regex_t *compiled = ARENA_NEW(fleet->arena, regex_t);
    int status = regcomp(compiled, pattern, REG_EXTENDED);
    char reason[128];
    if (status == 0) {
        fleet->group_pattern = compiled;
        return true;
    }
    regerror(status, compiled, reason, sizeof reason);
    return error_set(err, ERROR_USAGE, "--group %s: %s: expected an extended regular expression",
                     pattern, reason);
}

// ---------------------------------------------------------------- missing machines and cards

// Sorts names of hosts. Names that differ only in their number are neighbours, sorted by number.
static int compare_hosts(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    const struct numbered p = number_of(x), q = number_of(y);
    int order = strncmp(x, y, p.before < q.before ? p.before : q.before);
    if (!order)
        order = (p.before > q.before) - (p.before < q.before);
    if (!order)
        order = strcmp(p.rest, q.rest);
    if (!order)
        order = (p.number > q.number) - (p.number < q.number);
    return order ? order : strcmp(x, y);
}

enum {
    MISSING_SHOWN = 20
};

// Returns the name of `host`, with its number replaced by `number`.
static const char *numbered_name(struct arena *arena, const char *host, unsigned long number)
{
    const struct numbered own = number_of(host);
    return arena_printf(arena, "%.*s%0*lu%s", (int)own.before, host, (int)own.digits, number,
                        own.rest);
}

// Returns the missing names of hosts that differ only in their number: "n007, n010 to n012".
// Returns NULL if none is missing, or if more than half are, because the gaps are then on purpose.
static const char *missing_in_row(struct arena *arena, const char *const *hosts, size_t count)
{
    const struct numbered first = number_of(hosts[0]), last = number_of(hosts[count - 1]);
    unsigned long range = last.number - first.number + 1, shown = 0;
    const char *text = "";
    if (range <= count || range > 2 * count)
        return NULL;
    for (size_t i = 1; i < count; i++) {
        unsigned long from = number_of(hosts[i - 1]).number + 1, to = number_of(hosts[i]).number;
        if (from >= to || shown++ >= MISSING_SHOWN)
            continue;
        const char *name = numbered_name(arena, hosts[0], from);
        if (to - from > 1)
            name = arena_printf(arena, "%s to %s", name, numbered_name(arena, hosts[0], to - 1));
        text = text_join(arena, text, ", ", name);
    }
    return arena_printf(arena, "%s%s", text, shown > MISSING_SHOWN ? " …" : "");
}

static void find_missing_hosts(struct fleet *fleet)
{
    const char **hosts = ARENA_ARRAY(fleet->arena, fleet->hosts, const char *);
    size_t count = 0;
    for (size_t i = 0; i < fleet->count; i++)
        if (i == 0 || strcmp(fleet->cards[i]->host, fleet->cards[i - 1]->host) != 0)
            hosts[count++] = fleet->cards[i]->host;
    if (count)
        qsort(hosts, count, sizeof *hosts, compare_hosts);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && is_same_row(hosts[i], hosts[end]);)
            end++;
        const char *missing = end - i > 2 ? missing_in_row(fleet->arena, hosts + i, end - i) : NULL;
        if (missing)
            remark(fleet, "missing",
                   arena_printf(fleet->arena, "no file of these machines: %s", missing));
    }
}

// Returns the index after the last card in the host of card `i`. Sets *present to the number of
// cards found. If a card was checked through several APIs, the API with the most cards counts.
static size_t host_end(const struct fleet *fleet, size_t i, size_t *present)
{
    const char *host = fleet->cards[i]->host;
    size_t found = 0;
    *present = 0;
    for (const char *api = NULL; i < fleet->count && strcmp(fleet->cards[i]->host, host) == 0;
         i++) {
        found = text_same(fleet->cards[i]->api, api) ? found : 0;
        api = fleet->cards[i]->api;
        found += fleet->cards[i]->check.device != NULL;
        *present = found > *present ? found : *present;
    }
    return i;
}

// Adds a remark about machines with fewer cards than at least nine of ten machines have.
static void find_missing_cards(struct fleet *fleet)
{
    size_t most = 0, whole = 0, lacking = 0, present;
    const char *text = "";
    for (size_t i = 0; i < fleet->count;) {
        i = host_end(fleet, i, &present);
        whole = present > most ? 1 : whole + (present == most);
        most = present > most ? present : most;
    }
    if (whole * 10 < fleet->hosts * 9)
        return;
    for (size_t i = 0; i < fleet->count;) {
        const char *host = fleet->cards[i]->host;
        i = host_end(fleet, i, &present);
        if (present == most || lacking++ >= MISSING_SHOWN)
            continue;
        text = text_join(fleet->arena, text, ", ",
                         arena_printf(fleet->arena, "%s has %zu", host, present));
    }
    if (lacking)
        remark(fleet, "missing",
               arena_printf(fleet->arena, "%zu machines have %s, but %s%s", whole,
                            text_count(fleet->arena, most, "card"), text,
                            lacking > MISSING_SHOWN ? " …" : ""));
}

// ---------------------------------------------------------------- groups of cards that differ

typedef const char *group_key(const struct fleet *fleet, const struct fleet_card *card);

static const char *index_of(const struct fleet *fleet, const struct fleet_card *card)
{
    return arena_printf(fleet->arena, "GPU %zu", card->check.index);
}

static const char *driver_of(const struct fleet *fleet, const struct fleet_card *card)
{
    return arena_printf(fleet->arena, "driver %s", card->driver ? card->driver : "unknown");
}

static const char *vbios_of(const struct fleet *fleet, const struct fleet_card *card)
{
    const char *vbios = card->check.state.vbios;
    return arena_printf(fleet->arena, "VBIOS %s", vbios ? vbios : "unknown");
}

static const char *tool_of(const struct fleet *fleet, const struct fleet_card *card)
{
    return arena_printf(fleet->arena, "fathom %s", card->tool ? card->tool : "unknown");
}

struct member {
    const char *key;
    const struct fleet_card *card;
    size_t place; // index of the card among those of its kind, which are in the order of machines
};

static int compare_members(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    int order = strcmp(x->key, y->key);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

// Returns the cards of one kind (model and API), sorted by group, and sets *count. `key` returns
// the group of a card.
static struct member *members_of(struct fleet *fleet, size_t kind, group_key *key, size_t *count)
{
    struct member *members = ARENA_ARRAY(fleet->arena, fleet->kinds[kind].count, struct member);
    *count = 0;
    for (size_t i = 0; i < fleet->count; i++)
        if (fleet->cards[i]->kind == kind) {
            members[*count] = (struct member){key(fleet, fleet->cards[i]), fleet->cards[i], *count};
            ++*count;
        }
    qsort(members, *count, sizeof *members, compare_members);
    return members;
}

static size_t group_end(const struct member *members, size_t count, size_t i)
{
    size_t end = i + 1;
    while (end < count && strcmp(members[end].key, members[i].key) == 0)
        end++;
    return end;
}

// Adds a group. Its effect is the median loss of its cards minus the median loss of their kind,
// reduced towards 0 for a small group. The score uses the standard error of the median of n normal
// values, 1.25 σ / √n. Adds nothing if fewer than FLEET_GROUP_LEAST cards were compared.
static void add_group(struct fleet *fleet, size_t kind, enum check_metric metric,
                      const struct member *members, size_t count)
{
    double *losses = ARENA_ARRAY(fleet->arena, count, double);
    const struct fleet_metric *summary = &fleet->kinds[kind].metrics[metric];
    struct population population = summary->population;
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(members[i].card->points[metric].chance))
            losses[n++] = members[i].card->points[metric].loss;
    if (n < FLEET_GROUP_LEAST || !(population.sigma > 0))
        return;
    double effect =
        stats_median(losses, n) - summary->cards[summary->count / 2]->points[metric].loss;
    population.median = 0;
    population.sigma *= 1.25 / sqrt((double)n);
    fleet->groups = arena_grow(fleet->arena, fleet->groups, fleet->group_count,
                               &fleet->group_capacity, sizeof *fleet->groups);
    fleet->groups[fleet->group_count++] =
        (struct fleet_group){.name = members->key,
                             .kind = kind,
                             .count = n,
                             .metric = metric,
                             .effect = effect * fmin(1, (double)n / FLEET_GROUP_FULL),
                             .score = population_score(&population, effect, 0)};
}

static void add_groups(struct fleet *fleet, size_t kind, group_key *key)
{
    size_t count;
    const struct member *members = members_of(fleet, kind, key, &count);
    for (size_t i = 0, end; i < count; i = end) {
        end = group_end(members, count, i);
        for (unsigned m = 0; m < CHECK_METRIC_COUNT && end - i < count; m++)
            add_group(fleet, kind, (enum check_metric)m, members + i, end - i);
    }
}

static int compare_groups(const void *a, const void *b)
{
    double x = fabs(((const struct fleet_group *)a)->score);
    double y = fabs(((const struct fleet_group *)b)->score);
    return (x < y) - (x > y);
}

// Removes groups that chance may explain (FLEET_ERROR) or whose effect is below FLEET_RESOLUTION.
static void keep_groups(struct fleet *fleet)
{
    double limit = score_of_chance(FLEET_ERROR / 2 / (double)fleet->group_count);
    size_t kept = 0;
    for (size_t i = 0; i < fleet->group_count; i++)
        if (fabs(fleet->groups[i].score) > limit &&
            fabs(fleet->groups[i].effect) >= FLEET_RESOLUTION)
            fleet->groups[kept++] = fleet->groups[i];
    fleet->group_count = kept;
    if (kept)
        qsort(fleet->groups, kept, sizeof *fleet->groups, compare_groups);
}

// ---------------------------------------------------------------- quantities correlated with loss

static const struct quantity {
    const char *name;
    size_t offset; // offset of the quantity in struct check_state, in bytes
} quantities[] = {
    {"temperature", offsetof(struct check_state, temperature_c)},
    {"core clock", offsetof(struct check_state, core_clock_hz)},
    {"memory clock", offsetof(struct check_state, memory_clock_hz)},
    {"power", offsetof(struct check_state, power_w)},
};

static double quantity_of(const struct fleet_card *card, size_t i)
{
    if (i == COUNT(quantities))
        return (double)card->check.index;
    return *(const double *)((const char *)&card->check.state + quantities[i].offset);
}

static int compare_pairs(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

// Returns the median y of the quarter of the pairs with the largest x, minus the median y of the
// quarter with the smallest x.
static double quarters_of(struct arena *arena, const double *x, const double *y, size_t count)
{
    double(*pairs)[2] = arena_array(arena, count, sizeof *pairs);
    double *ys = ARENA_ARRAY(arena, count, double);
    for (size_t i = 0; i < count; i++) {
        pairs[i][0] = x[i];
        pairs[i][1] = y[i];
    }
    qsort(pairs, count, sizeof *pairs, compare_pairs);
    for (size_t i = 0; i < count; i++)
        ys[i] = pairs[i][1];
    return stats_median(ys + count - count / 4, count / 4) - stats_median(ys, count / 4);
}

static void add_relation(struct fleet *fleet, size_t kind, enum check_metric metric, size_t which)
{
    const struct fleet_metric *summary = &fleet->kinds[kind].metrics[metric];
    double *x = ARENA_ARRAY(fleet->arena, summary->count, double);
    double *y = ARENA_ARRAY(fleet->arena, summary->count, double);
    size_t count = 0;
    for (size_t i = 0; i < summary->count; i++) {
        x[count] = quantity_of(summary->cards[i], which);
        y[count] = summary->cards[i]->points[metric].loss;
        count += isfinite(x[count]) && isfinite(y[count]);
    }
    double rank = count >= FLEET_GROUP_FULL ? rank_correlation(fleet->arena, x, y, count) : NAN;
    size_t tests = fleet->kind_count * CHECK_METRIC_COUNT * (COUNT(quantities) + 1);
    if (!(fabs(rank) * sqrt((double)count - 1) > score_of_chance(FLEET_ERROR / 2 / (double)tests)))
        return;
    double quarters = quarters_of(fleet->arena, x, y, count);
    if (fabs(quarters) < FLEET_RESOLUTION)
        return;
    fleet->relations = arena_grow(fleet->arena, fleet->relations, fleet->relation_count,
                                  &fleet->relation_capacity, sizeof *fleet->relations);
    fleet->relations[fleet->relation_count++] = (struct fleet_relation){
        .with = which < COUNT(quantities) ? quantities[which].name : "place in the machine",
        .kind = kind,
        .metric = metric,
        .rank = rank,
        .quarters = quarters};
}

static int compare_relations(const void *a, const void *b)
{
    double x = fabs(((const struct fleet_relation *)a)->rank);
    double y = fabs(((const struct fleet_relation *)b)->rank);
    return (x < y) - (x > y);
}

static void find_relations(struct fleet *fleet, size_t kind)
{
    for (unsigned m = 0; m < CHECK_METRIC_COUNT; m++)
        for (size_t i = 0; i <= COUNT(quantities); i++)
            add_relation(fleet, kind, (enum check_metric)m, i);
}

// ---------------------------------------------------------------- different versions

// Adds a remark if not all cards of this kind (a model through an API) have the same version. `key`
// says of what: the driver, the firmware or fathom. The remark lists the versions.
static void find_versions(struct fleet *fleet, size_t kind, group_key *key)
{
    size_t count;
    const struct member *members = members_of(fleet, kind, key, &count);
    const char *text = "";
    for (size_t i = 0, end; i < count; i = end) {
        end = group_end(members, count, i);
        text = text_join(fleet->arena, text, ", ",
                         arena_printf(fleet->arena, "%s on %s (%s%s)", members[i].key,
                                      text_count(fleet->arena, end - i, "card"),
                                      members[i].card->host, end - i > 1 ? " …" : ""));
        if (i == 0 && end == count)
            return;
    }
    if (count)
        remark(fleet, "version", arena_printf(fleet->arena, "versions differ: %s", text));
}

static void describe_kind(struct fleet *fleet, size_t kind)
{
    const struct fleet_kind *info = &fleet->kinds[kind];
    size_t compared = 0, unexpected = 0;
    for (unsigned m = 0; m < CHECK_METRIC_COUNT; m++)
        compared = info->metrics[m].count > compared ? info->metrics[m].count : compared;
    for (size_t i = 0; i < fleet->count; i++)
        unexpected +=
            fleet->cards[i]->kind == kind && fleet->cards[i]->check.code == CHECK_NO_EXPECTATION;
    if (compared < FLEET_LEAST)
        remark(fleet, "few",
               arena_printf(fleet->arena, "%s (%s): %zu to compare, too few; it takes %d cards",
                            info->name, info->api, compared, FLEET_LEAST));
    if (unexpected)
        remark(fleet, "expectation",
               arena_printf(fleet->arena, "%s (%s): no expectation for %zu of %zu cards%s",
                            info->name, info->api, unexpected, info->count,
                            compared < FLEET_LEAST ? ""
                                                   : ", which are only compared with each other"));
}

static void find_unmatched(struct fleet *fleet)
{
    for (size_t i = 0; i < fleet->count; i++)
        if (strcmp(group_of(fleet, fleet->cards[i]), NO_GROUP) != 0)
            return;
    remark(fleet, "group", "the pattern of --group fits no name of a machine");
}

void fleet_find_patterns(struct fleet *fleet)
{
    if (fleet->group_pattern)
        find_unmatched(fleet);
    find_missing_hosts(fleet);
    find_missing_cards(fleet);
    for (size_t k = 0; k < fleet->kind_count; k++) {
        add_groups(fleet, k, fleet->group_pattern ? group_of : rack_of);
        add_groups(fleet, k, index_of);
        add_groups(fleet, k, driver_of);
        add_groups(fleet, k, vbios_of);
        find_relations(fleet, k);
        find_versions(fleet, k, driver_of);
        find_versions(fleet, k, vbios_of);
        find_versions(fleet, k, tool_of);
        describe_kind(fleet, k);
    }
    keep_groups(fleet);
    if (fleet->relation_count)
        qsort(fleet->relations, fleet->relation_count, sizeof *fleet->relations, compare_relations);
}
