// SPDX-License-Identifier: MIT
// How well `fathom fleet` finds faults in synthetic fleets, whose faults are known (synthetic.h).
//
//   fleet_trial SEED MACHINES ROUNDS HEALTHY
//
// Judges ROUNDS fleets with 20 cards of each fault, half of them without expectations, then HEALTHY
// healthy fleets. Fails if too few cards of a fault are found with the right cause: 99 % of them;
// 97 % if there are fewer than 200, or if the fault is the smallest loss, of which just 99 % can be
// found. Fails if healthy cards are called bad in more than 3 of 100 rounds, or if more than 3 of
// 100 healthy fleets fail.
//
//   fleet_trial write SEED MACHINES PLANTS FOLDER
//
// Writes the check files of a fleet with PLANTS cards of each fault, for tests of the command.
#include "analysis/fleet.h"
#include "math/random.h"
#include "results/json.h"
#include "synthetic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PLANTS = 20, // cards with each fault in a fleet
    KINDS = FAULT_COUNT + 1
};

// FAULT_SMALLEST is planted twice: as a loss of bandwidth and as a loss of arithmetic.
static const char *const names[KINDS] = {
    [FAULT_DRAM] = "DRAM -3 %",
    [FAULT_LINK] = "half link",
    [FAULT_THROTTLED] = "throttled",
    [FAULT_WRONG] = "wrong results",
    [FAULT_HUNG] = "hung",
    [FAULT_BUSY] = "busy",
    [FAULT_NOISY] = "noisy",
    [FAULT_SMALLEST] = "smallest DRAM loss",
    [FAULT_COUNT] = "smallest FP32 loss",
};

struct tally {
    size_t planted[KINDS], found[KINDS];
    size_t rounds_with_alarms, alarms;
    size_t healthy, failed;
};

static struct fleet *judge(const struct synthetic *synthetic)
{
    struct fleet *fleet = fleet_create();
    for (size_t machine = 0; machine < synthetic->machines; machine++) {
        struct run *run = synthetic_run(synthetic, machine);
        fleet_add_run(fleet, run, "synthetic");
        run_destroy(run);
    }
    fleet_judge(fleet);
    return fleet;
}

// The smallest losses that such a fleet states it can find.
static void smallest_losses(struct synthetic synthetic, double *dram, double *fp32)
{
    struct fleet *fleet = judge(&synthetic);
    *dram = fleet->kinds[0].metrics[CHECK_DRAM_READ].found;
    *fp32 = fleet->kinds[0].metrics[CHECK_FP32].found;
    fleet_destroy(fleet);
}

// Plants each fault in `each` cards.
static size_t plant(struct synthetic_plant *plants, size_t each, size_t machines, uint64_t seed,
                    double dram, double fp32)
{
    struct random random;
    size_t *order = malloc(machines * SYNTHETIC_CARDS * sizeof *order), count = 0;
    random_init(&random, seed);
    for (size_t i = 0; i < machines * SYNTHETIC_CARDS; i++)
        order[i] = i;
    random_shuffle(&random, order, machines * SYNTHETIC_CARDS);
    for (unsigned kind = FAULT_NONE + 1; kind < KINDS; kind++)
        for (size_t i = 0; i < each; i++, count++)
            plants[count] = (struct synthetic_plant){
                .machine = order[count] / SYNTHETIC_CARDS,
                .index = order[count] % SYNTHETIC_CARDS,
                .fault = kind < FAULT_COUNT ? (enum fault)kind : FAULT_SMALLEST,
                .metric = kind < FAULT_COUNT ? CHECK_DRAM_READ : CHECK_FP32,
                .loss = kind < FAULT_COUNT ? dram : fp32};
    free(order);
    return count;
}

static bool is_found(const struct fleet_card *card, enum fault fault, enum check_metric metric)
{
    bool slow = card->grade == FLEET_SLOW, broken = card->grade == FLEET_BROKEN;
    const char *dram = card->check.index % 2 ? "memory-clock" : "below-fleet";
    switch (fault) {
    case FAULT_DRAM:
        return slow && card->points[CHECK_DRAM_READ].slow && strcmp(card->code, dram) == 0;
    case FAULT_LINK:
        return slow && strcmp(card->code, "link-width") == 0;
    case FAULT_THROTTLED:
        return slow && strcmp(card->code, "thermal") == 0;
    case FAULT_WRONG:
        return broken && strcmp(card->code, "wrong-results") == 0;
    case FAULT_HUNG:
        return broken && strcmp(card->code, "hung") == 0;
    case FAULT_BUSY:
        return card->grade == FLEET_UNKNOWN && strcmp(card->code, "busy") == 0;
    case FAULT_NOISY:
        return card->grade == FLEET_NOISY;
    case FAULT_SMALLEST:
        return slow && card->points[metric].slow;
    case FAULT_NONE:
    case FAULT_COUNT:
        break;
    }
    return false;
}

static void count_round(const struct synthetic *synthetic, struct tally *tally)
{
    struct fleet *fleet = judge(synthetic);
    size_t bad = fleet->grades[FLEET_SLOW] + fleet->grades[FLEET_BROKEN], planted = 0;
    for (size_t i = 0; i < synthetic->plant_count; i++) {
        const struct synthetic_plant *truth = &synthetic->plants[i];
        // The fleet's cards are sorted by machine and index, as the machines' names are.
        const struct fleet_card *card =
            fleet->cards[truth->machine * SYNTHETIC_CARDS + truth->index];
        unsigned kind = truth->fault == FAULT_SMALLEST && truth->metric == CHECK_FP32
                            ? FAULT_COUNT
                            : (unsigned)truth->fault;
        tally->planted[kind]++;
        tally->found[kind] += is_found(card, truth->fault, truth->metric);
        planted += card->grade >= FLEET_SLOW;
    }
    tally->alarms += bad - planted;
    tally->rounds_with_alarms += bad > planted;
    fleet_destroy(fleet);
}

static void run_rounds(uint64_t seed, size_t machines, size_t rounds, struct tally *tally)
{
    struct synthetic_plant plants[KINDS * PLANTS];
    double dram, fp32;
    smallest_losses((struct synthetic){.seed = seed, .machines = machines}, &dram, &fp32);
    printf("smallest losses stated: DRAM %.2f %%, FP32 %.2f %%\n", 100 * dram, 100 * fp32);
    for (size_t round = 0; round < rounds; round++) {
        struct synthetic synthetic = {.seed = seed + 1 + round,
                                      .machines = machines,
                                      .expected = round % 2,
                                      .plants = plants};
        synthetic.plant_count = plant(plants, PLANTS, machines, seed + round, dram, fp32);
        count_round(&synthetic, tally);
    }
}

static void run_healthy(uint64_t seed, size_t machines, size_t count, struct tally *tally)
{
    for (size_t i = 0; i < count; i++) {
        struct fleet *fleet = judge(
            &(struct synthetic){.seed = seed + 5000 + i, .machines = machines, .expected = i % 2});
        tally->healthy++;
        tally->failed += fleet_failed(fleet);
        fleet_destroy(fleet);
    }
}

static bool report(const struct tally *tally, size_t rounds)
{
    bool good = true;
    for (unsigned kind = FAULT_NONE + 1; kind < KINDS; kind++) {
        double share = (double)tally->found[kind] / (double)tally->planted[kind];
        bool few = tally->planted[kind] < 200 || kind >= FAULT_SMALLEST;
        bool enough = share >= (few ? 0.97 : 0.99) - 1e-9;
        printf("%-20s %zu of %zu%s\n", names[kind], tally->found[kind], tally->planted[kind],
               enough ? "" : "  too few");
        good &= enough;
    }
    printf("healthy cards called slow: %zu, in %zu of %zu fleets with faults\n", tally->alarms,
           tally->rounds_with_alarms, rounds);
    printf("healthy fleets that fail: %zu of %zu\n", tally->failed, tally->healthy);
    return good && (double)tally->rounds_with_alarms <= fmax(1, 0.03 * (double)rounds) &&
           (double)tally->failed <= 0.03 * (double)tally->healthy;
}

static int write_files(uint64_t seed, size_t machines, size_t plants, const char *folder)
{
    struct arena *arena = arena_create();
    struct synthetic_plant *list = ARENA_ARRAY(arena, KINDS * PLANTS, struct synthetic_plant);
    struct synthetic synthetic = {
        .seed = seed, .machines = machines, .expected = true, .plants = list};
    struct error err = {.code = ERROR_NONE};
    synthetic.plant_count =
        plant(list, plants < PLANTS ? plants : PLANTS, machines, seed, 0.05, 0.09);
    bool written = true;
    for (size_t machine = 0; machine < machines && written; machine++) {
        struct run *run = synthetic_run(&synthetic, machine);
        written = run_save(
            run, arena_printf(arena, "%s/%s.json", folder, synthetic_host(arena, machine)), &err);
        run_destroy(run);
    }
    if (!written)
        fprintf(stderr, "%s\n", err.message);
    arena_destroy(arena);
    return written ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 6)
        return write_files(strtoull(argv[2], NULL, 10), strtoul(argv[3], NULL, 10),
                           strtoul(argv[4], NULL, 10), argv[5]);
    if (argc != 5)
        return 2;
    uint64_t seed = strtoull(argv[1], NULL, 10);
    size_t machines = strtoul(argv[2], NULL, 10), rounds = strtoul(argv[3], NULL, 10);
    struct tally tally = {0};
    run_rounds(seed, machines, rounds, &tally);
    run_healthy(seed, machines, strtoul(argv[4], NULL, 10), &tally);
    return report(&tally, rounds) ? 0 : 1;
}
