// SPDX-License-Identifier: MIT
// The verdict on a card, from results made up here.
#include "analysis/expectation.h"

#include "analysis/check_others.h"
#include "analysis/compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DRAM_READ                                                                                  \
    "bandwidth/op=read/path=global/scope=device/access=apart/bytes=1073741824/width=16/type=float"
#define L2_READ                                                                                    \
    "bandwidth/op=read/path=global/scope=device/access=apart/bytes=8388608/width=16/type=float"
#define TO_DEVICE "transfer/direction=h2d/memory=pinned/by=copy/mode=row/bytes=268435456"

static struct case_value text_value(const char *key, const char *text)
{
    return (struct case_value){.key = key, .type = PARAM_TEXT, .text = text};
}

static struct bench_case case_of_key(struct arena *arena, const char *key)
{
    struct bench_case made = {.values = ARENA_ARRAY(arena, 16, struct case_value)};
    char *copy = arena_strdup(arena, key), *save = NULL;
    for (char *part = strtok_r(copy, "/", &save); part; part = strtok_r(NULL, "/", &save)) {
        char *equals = strchr(part, '=');
        if (!equals)
            continue;
        *equals = '\0';
        struct case_value value = text_value(part, equals + 1);
        if (strcmp(part, "bytes") == 0)
            value = (struct case_value){
                .key = part, .type = PARAM_BYTES, .uint = strtoull(equals + 1, NULL, 10)};
        made.values[made.value_count++] = value;
    }
    return made;
}

static struct result *add_result(struct run *run, const char *key, double value)
{
    struct result *result = run_add_result(run);
    char *benchmark = arena_strdup(run->arena, key);
    benchmark[strcspn(benchmark, "/")] = '\0';
    result->key = key;
    result->benchmark = benchmark;
    result->version = 1;
    result->device = run->devices[run->device_count - 1].id;
    result->bench_case = case_of_key(run->arena, key);
    result->metrics = ARENA_NEW(run->arena, struct metric);
    result->metrics[0] = (struct metric){.name = "bandwidth",
                                         .unit = UNIT_BYTE_PER_S,
                                         .better = BETTER_HIGHER,
                                         .median = value,
                                         .ci95 = {value * 0.999, value * 1.001},
                                         .limit = NAN};
    result->metric_count = 1;
    result->sensors = ARENA_ARRAY(run->arena, 4, struct named_number);
    return result;
}

static void add_sensor(struct result *result, const char *name, double value)
{
    result->sensors[result->sensor_count++] = (struct named_number){name, UNIT_HZ, value};
}

// A run of one more H200, with the clocks that it should have.
static struct result *add_card(struct run *run, const char *uuid, const char *key, double value)
{
    struct run_device *device = run_add_device(run);
    device->id = arena_printf(run->arena, "cuda:%zu", run->device_count - 1);
    device->name = "NVIDIA H200";
    device->kind = "discrete";
    device->uuid = uuid;
    struct result *result = add_result(run, key, value);
    add_sensor(result, "core_clock", 1980e6);
    add_sensor(result, "card_memory_clock", 3201e6);
    return result;
}

// A run of `count` other cards, whose values are apart by `step`, relative to each other.
static struct run *cards(size_t count, const char *key, double value, double step)
{
    struct run *run = run_create();
    for (size_t i = 0; i < count; i++)
        add_card(run, arena_printf(run->arena, "%032zx", i + 1), key,
                 value * (1 + step * ((double)i - (double)(count - 1) / 2)));
    return run;
}

// What the check of a card says that reaches `value`.
struct outcome {
    struct run *run, *others, *references;
    struct result *result;
    struct check *check;
};

static struct outcome begin(struct run *others, const char *key, double value)
{
    struct outcome o = {.run = run_create(), .others = others};
    o.result = add_card(o.run, "ffffffffffffffffffffffffffffffff", key, value);
    o.check = run_add_check(o.run);
    o.check->device = "cuda:0";
    return o;
}

static void judge(struct outcome *o)
{
    const struct expectation expectation = {.runs = &o->others,
                                            .run_count = 1,
                                            .basis = CHECK_BASIS_REFERENCE,
                                            .references = o->references};
    check_take_figures(o->run, o->check);
    expectation_judge(o->run, &expectation, o->check);
}

static void assert_outcome(const struct outcome *o, enum check_verdict verdict,
                           enum check_code code, const char *cause)
{
    assert_int_equal(o->check->verdict, verdict);
    assert_int_equal(o->check->code, code);
    if (cause)
        assert_string_equal(o->check->cause, cause);
}

static void end(struct outcome *o)
{
    run_destroy(o->run);
    run_destroy(o->others);
    run_destroy(o->references);
}

// Given two cards of this model, and `others` of another one, each 0.5 % off the next.
static struct outcome few_cards(double value, size_t others)
{
    struct outcome o = begin(cards(2, DRAM_READ, 4.6e12, 0), DRAM_READ, value);
    o.references = cards(others, DRAM_READ, 2e12, 0.005);
    for (size_t i = 0; i < others; i++) {
        o.references->devices[i].name = "another model";
        o.references->devices[i].uuid = arena_printf(o.references->arena, "b%zu", i);
    }
    return o;
}

static void few_cards_bound_by_the_spread_of_all_models(void **state)
{
    (void)state;
    // Given seven degrees of freedom (1 of this model, 6 of the other), memory of one kind is bound
    // by what these cards show; given fewer, all of them may be of one kind.
    double spread = card_spread_of("bandwidth", UNIT_BYTE_PER_S);
    for (size_t others = 6; others <= 7; others++) {
        struct outcome inside = few_cards(4.6e12, others);
        struct check_spreads spreads;
        check_spreads_of((struct run *[]){inside.others, inside.references}, 2, &spreads);
        double class = check_spread_bound(&spreads.between[CHECK_CLASS_MEMORY], 2, 0.999);
        assert_true(class > 0.04 && class < spread);
        double bound = others == 7 ? class : spread;
        judge(&inside);
        assert_outcome(&inside, CHECK_HEALTHY, CHECK_OK, NULL);
        assert_int_equal(inside.check->figures[0].cards, 2);
        assert_true(fabs(inside.check->figures[0].expected_low - 4.6e12 / (1 + bound)) < 1e9);
        assert_string_equal(inside.check->remarks[0], "expectation from 2 cards");
        end(&inside);
        struct outcome outside = few_cards(4.6e12 / (1 + bound) * 0.99, others);
        judge(&outside);
        assert_outcome(&outside, CHECK_SLOW, CHECK_BELOW_EXPECTATION, NULL);
        end(&outside);
    }
}

static void one_card_bounds_as_compare_does(void **state)
{
    (void)state;
    double spread = card_spread_of("bandwidth", UNIT_BYTE_PER_S);
    struct outcome o = begin(cards(1, DRAM_READ, 4.6e12, 0), DRAM_READ, 4.6e12 * 0.97);
    judge(&o);
    assert_outcome(&o, CHECK_HEALTHY, CHECK_OK, NULL);
    assert_true(fabs(o.check->figures[0].expected_low - 4.6e12 / (1 + spread)) < 1e9);
    end(&o);
}

static void classes_pool_what_is_comparable(void **state)
{
    (void)state;
    struct check_spreads spreads;
    struct run *run = cards(4, DRAM_READ, 4.6e12, 0.01); // steps of 1 %: a deviation of 1.29 %
    check_spreads_of(&run, 1, &spreads);
    const struct check_spread *memory = &spreads.between[CHECK_CLASS_MEMORY];
    assert_true(fabs(memory->deviation - 0.0129) < 0.0002);
    assert_int_equal(memory->freedom, 3);
    assert_int_equal(spreads.repeats.freedom, 0);
    assert_int_equal(spreads.between[CHECK_CLASS_LINK].freedom, 0);
    // Two runs of one card give the spread of repeats, and no card more.
    run->devices[1].uuid = run->devices[0].uuid;
    check_spreads_of(&run, 1, &spreads);
    assert_int_equal(memory->freedom, 2);
    assert_int_equal(spreads.repeats.freedom, 1);
    assert_true(fabs(spreads.repeats.deviation - 0.01 / sqrt(2)) < 0.0002);
    // Another version of the benchmark is not comparable.
    run->results[0]->version = run->results[1]->version = 7;
    check_spreads_of(&run, 1, &spreads);
    assert_int_equal(memory->freedom, 1);
    assert_int_equal(spreads.repeats.freedom, 1);
    run_destroy(run);
}

static void own_runs_bound_by_how_they_repeat(void **state)
{
    (void)state;
    for (int slow = 0; slow < 2; slow++) {
        struct run *own = cards(5, DRAM_READ, 4.6e12, 0.001);
        for (size_t i = 0; i < 5; i++)
            own->devices[i].uuid = "ffffffffffffffffffffffffffffffff";
        struct outcome o = begin(own, DRAM_READ, 4.6e12 * (slow ? 0.98 : 0.996));
        judge(&o); // a deviation of 0.16 % and 4 degrees of freedom bound by 1.2 %
        assert_outcome(&o, slow ? CHECK_SLOW : CHECK_HEALTHY,
                       slow ? CHECK_BELOW_EXPECTATION : CHECK_OK, NULL);
        assert_int_equal(o.check->figures[0].cards, 1);
        end(&o);
    }
}

static void eight_cards_bound_by_their_own_spread(void **state)
{
    (void)state;
    struct outcome slow = begin(cards(8, DRAM_READ, 4.6e12, 0.001), DRAM_READ, 4.6e12 * 0.97);
    judge(&slow);
    assert_outcome(&slow, CHECK_SLOW, CHECK_BELOW_EXPECTATION,
                   "DRAM 4.462 of 4.600 TB/s: 3 % below the expectation, cause unknown");
    assert_int_equal(slow.check->remark_count, 0);
    end(&slow);
    struct outcome within = begin(cards(8, DRAM_READ, 4.6e12, 0.004), DRAM_READ, 4.6e12 * 0.97);
    judge(&within);
    assert_outcome(&within, CHECK_HEALTHY, CHECK_OK, NULL);
    end(&within);
}

static void cards_of_another_power_limit_or_ecc_state_are_left_out(void **state)
{
    (void)state;
    for (int ecc = 0; ecc < 2; ecc++) {
        struct outcome o = begin(cards(2, DRAM_READ, 4.6e12, 0.001), DRAM_READ, 4.6e12);
        struct check *other = run_add_check(o.others);
        other->device = o.others->devices[0].id;
        other->state.power_limit_w = o.check->state.power_limit_w = 700;
        other->state.ecc_enabled = o.check->state.ecc_enabled = 1;
        if (ecc)
            o.check->state.ecc_enabled = 0;
        else
            o.check->state.power_limit_w = 600;
        judge(&o);
        assert_outcome(&o, CHECK_HEALTHY, CHECK_OK, NULL);
        assert_int_equal(o.check->figures[0].cards, 1); // the other one does not say
        assert_string_equal(o.check->remarks[1],
                            "1 card left out: another power limit or ECC state");
        end(&o);
    }
}

static void another_branch_of_the_driver_is_a_remark(void **state)
{
    (void)state;
    static const struct {
        const char *driver;
        size_t remarks;
    } rows[] = {{"NVIDIA 580.95.05", 1}, {"NVIDIA 570.172.08", 2}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct outcome o = begin(cards(2, DRAM_READ, 4.6e12, 0.001), DRAM_READ, 4.6e12);
        o.run->devices[0].driver = "NVIDIA 580.159.04";
        o.others->devices[0].driver = o.others->devices[1].driver = rows[i].driver;
        judge(&o);
        assert_int_equal(o.check->remark_count, rows[i].remarks);
        if (rows[i].remarks > 1)
            assert_string_equal(o.check->remarks[1], "expectation from driver NVIDIA 570.172.08");
        end(&o);
    }
}

// Given two H200 that reach 96 % of the limit of their memory, when a card of another model is
// checked, then the same share of its own limit is expected if its architecture is theirs.
static struct outcome another_model(double value, const char *architecture)
{
    struct outcome o = begin(cards(2, DRAM_READ, 4.608e12, 0.001), DRAM_READ, value);
    o.run->devices[0].name = "NVIDIA H100";
    o.run->devices[0].architecture = architecture;
    o.result->metrics[0].limit = 3.35e12;
    for (size_t i = 0; i < 2; i++) {
        o.others->devices[i].architecture = "Hopper";
        o.others->results[i]->metrics[0].limit = 4.8e12;
    }
    return o;
}

static void the_share_of_a_limit_is_that_of_the_architecture(void **state)
{
    (void)state;
    struct outcome o = another_model(3.2e12, "Hopper");
    judge(&o);
    assert_outcome(&o, CHECK_HEALTHY, CHECK_OK, NULL);
    assert_int_equal(o.check->figures[0].basis, CHECK_BASIS_LIMIT);
    assert_true(fabs(o.check->figures[0].expected - 0.96 * 3.35e12) < 1e9);
    assert_string_equal(o.check->remarks[1],
                        "no run of this model: the share of the limit that others of Hopper reach");
    end(&o);
    o = another_model(2e12, "Hopper");
    judge(&o);
    assert_outcome(&o, CHECK_SLOW, CHECK_BELOW_EXPECTATION, NULL);
    end(&o);
    o = another_model(2e12, "Blackwell");
    judge(&o);
    assert_outcome(&o, CHECK_UNKNOWN, CHECK_NO_EXPECTATION, NULL);
    end(&o);
    o = another_model(2e12, NULL);
    judge(&o);
    assert_outcome(&o, CHECK_UNKNOWN, CHECK_NO_EXPECTATION, NULL);
    end(&o);
}

#define PAIR(parts, from, to)                                                                      \
    "transfer/direction=peer" parts "/from=" from "/to=" to "/bytes=268435456"

static void set_way(struct run *run, struct result *result, const char *way)
{
    result->details = ARENA_NEW(run->arena, struct named_text);
    result->details[0] = (struct named_text){.name = "way", .text = way};
    result->detail_count = 1;
}

// A check of the first of two devices, whose copy to the second reaches `value`, against two other
// cards that copied to each other `directly`.
static struct outcome between_devices(const char *key, double value, const char *way)
{
    struct run *others = cards(2, PAIR("", "cuda:0", "cuda:0"), 2e12, 0);
    set_way(others, add_result(others, PAIR("", "cuda:1", "cuda:0"), 395e9), "direct");
    struct outcome o = begin(others, key, value);
    set_way(o.run, o.result, way);
    for (int i = 1; i < 4; i++)
        run_add_device(o.run)->id = arena_printf(o.run->arena, "cuda:%d", i);
    return o;
}

static void a_shortened_result_is_as_good_an_expectation(void **state)
{
    (void)state;
    struct outcome o = between_devices(PAIR("", "cuda:0", "cuda:3"), 30e9, "direct");
    struct result *known = o.others->results[2];
    struct metric *metrics = ARENA_ARRAY(o.others->arena, 2, struct metric);
    metrics[0] = (struct metric){.name = "time", .median = 1};
    metrics[1] = known->metrics[0];
    known->metrics = metrics;
    known->metric_count = 2;
    result_flag(o.others->arena, known, VERDICT_SUSPECT, "imprecise", "why");
    assert_true(check_shorten(o.others->arena, known));
    assert_int_equal(known->metric_count, 1);
    assert_int_equal(known->reason_count, 0);
    judge(&o);
    assert_outcome(&o, CHECK_SLOW, CHECK_BELOW_EXPECTATION, NULL);
    assert_true(o.check->figures[0].expected == 395e9);
    result_flag(o.others->arena, known, VERDICT_SKIPPED, "unsupported", "why");
    assert_false(check_shorten(o.others->arena, known));
    end(&o);
}

static void runs_of_one_card_are_one_card(void **state)
{
    (void)state;
    struct run *others = cards(9, DRAM_READ, 4.6e12, 0.001);
    for (size_t i = 0; i < others->device_count; i++)
        others->devices[i].uuid = i % 2 ? "00000000000000000000000000000001" : NULL;
    struct outcome o = begin(others, DRAM_READ, 4.6e12);
    judge(&o);
    assert_int_equal(o.check->figures[0].cards, 2);
    end(&o);
}

static void a_low_memory_clock_is_the_cause(void **state)
{
    (void)state;
    struct outcome o = begin(cards(8, DRAM_READ, 4.6e12, 0.001), DRAM_READ, 3.1e12);
    o.result->sensors[1].value = 1593e6;
    judge(&o);
    assert_outcome(&o, CHECK_SLOW, CHECK_MEMORY_CLOCK,
                   "DRAM 3.100 of 4.600 TB/s: memory clock 1593 of 3201 MHz");
    end(&o);
}

static void a_core_clock_that_power_or_heat_lowers_is_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *throttle;
        enum check_code code;
        const char *cause;
    } rows[] = {
        {"none", CHECK_CORE_CLOCK, "DRAM 3.680 of 4.600 TB/s: core clock 1500 of 1980 MHz"},
        {"power limit", CHECK_POWER_LIMIT,
         "DRAM 3.680 of 4.600 TB/s: core clock 1500 of 1980 MHz, power-limited at 350 W"},
        {"thermal", CHECK_THERMAL,
         "DRAM 3.680 of 4.600 TB/s: core clock 1500 of 1980 MHz, thermal limit at 88 °C"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct outcome o = begin(cards(8, DRAM_READ, 4.6e12, 0.001), DRAM_READ, 4.6e12 * 0.8);
        o.result->sensors[0].value = 1500e6;
        o.check->state.throttle = rows[i].throttle;
        o.check->state.power_limit_w = 350;
        o.check->state.temperature_c = 88;
        judge(&o);
        assert_outcome(&o, CHECK_SLOW, rows[i].code, rows[i].cause);
        end(&o);
    }
}

static void a_link_is_slow_by_its_lanes_or_its_generation(void **state)
{
    (void)state;
    struct outcome o = begin(cards(8, TO_DEVICE, 55e9, 0.001), TO_DEVICE, 27e9);
    o.check->state.link_width = 8;
    o.check->state.link_width_max = 16;
    judge(&o);
    assert_outcome(&o, CHECK_SLOW, CHECK_LINK_WIDTH,
                   "Host to device 27.00 of 55.00 GB/s: PCIe x8 instead of x16");
    end(&o);
    o = begin(cards(8, TO_DEVICE, 55e9, 0.001), TO_DEVICE, 27e9);
    o.check->state.link_generation = 4;
    o.check->state.link_generation_max = 5;
    judge(&o);
    assert_outcome(&o, CHECK_SLOW, CHECK_LINK_GENERATION, NULL);
    end(&o);
    // A link that is as fast as those of other cards is fine, whatever it reports.
    o = begin(cards(8, TO_DEVICE, 55e9, 0.001), TO_DEVICE, 55e9);
    o.check->state.link_generation = 4;
    o.check->state.link_generation_max = 5;
    judge(&o);
    assert_outcome(&o, CHECK_HEALTHY, CHECK_OK, NULL);
    end(&o);
}

static void other_work_of_the_host_slows_rounds_of_a_link_and_a_fault_slows_all(void **state)
{
    (void)state;
    for (int faulty = 0; faulty < 2; faulty++) {
        struct outcome o = begin(cards(8, TO_DEVICE, 55e9, 0.001), TO_DEVICE, 30e9);
        double rounds[] = {20e9, 30e9, faulty ? 35e9 : 54e9};
        o.result->metrics[0].round_medians = rounds;
        o.result->metrics[0].round_count = 3;
        judge(&o);
        assert_int_equal(o.check->verdict, faulty ? CHECK_SLOW : CHECK_HEALTHY);
        end(&o);
    }
}

static void two_steps_of_the_core_clock_are_healthy(void **state)
{
    (void)state;
    // Given eight cards that agree within 0.1 %, and one at 1980 MHz where they keep 2010.
    for (int slow = 0; slow < 2; slow++) {
        struct outcome o = begin(cards(8, L2_READ, 10e12, 0.0001), L2_READ,
                                 10e12 * (slow ? 1940.0 : 1980.0) / 2010);
        judge(&o);
        assert_int_equal(o.check->verdict, slow ? CHECK_SLOW : CHECK_HEALTHY);
        end(&o);
    }
}

static void a_link_to_the_host_is_slow_from_halfway_to_its_half(void **state)
{
    (void)state;
    for (int slow = 0; slow < 2; slow++) {
        struct outcome o = begin(cards(8, TO_DEVICE, 55e9, 0.001), TO_DEVICE,
                                 55e9 / sqrt(2) * (slow ? 0.99 : 1.01));
        judge(&o);
        assert_int_equal(o.check->verdict, slow ? CHECK_SLOW : CHECK_HEALTHY);
        end(&o);
    }
}

static void any_pair_of_the_model_is_the_expectation_of_a_pair(void **state)
{
    (void)state;
    struct outcome o = between_devices(PAIR("", "cuda:0", "cuda:3"), 394e9, "direct");
    judge(&o);
    assert_outcome(&o, CHECK_HEALTHY, CHECK_OK, NULL);
    assert_int_equal(o.check->figure_count, 1);
    assert_int_equal(o.check->figures[0].metric, CHECK_PEER);
    assert_true(o.check->figures[0].peer == 3 && o.check->figures[0].expected == 395e9);
    end(&o);
    o = between_devices(PAIR("", "cuda:0", "cuda:3"), 30e9, "direct");
    judge(&o);
    assert_outcome(&o, CHECK_SLOW, CHECK_BELOW_EXPECTATION,
                   "Copy to GPU 3: 30.00 of 395.0 GB/s: 92 % below the expectation, cause unknown");
    end(&o);
    // Copies through the host, or by the other device, are something else.
    o = between_devices(PAIR("", "cuda:0", "cuda:3"), 30e9, "through the host");
    judge(&o);
    assert_outcome(&o, CHECK_UNKNOWN, CHECK_NO_EXPECTATION, NULL);
    end(&o);
    o = between_devices(PAIR("/engine=target", "cuda:3", "cuda:0"), 30e9, "direct");
    judge(&o);
    assert_outcome(&o, CHECK_UNKNOWN, CHECK_NO_EXPECTATION, NULL);
    assert_int_equal(o.check->figures[0].metric, CHECK_PEER_READ);
    end(&o);
}

static void a_slow_link_between_devices_has_lost_some_of_its_lanes(void **state)
{
    (void)state;
    struct outcome o = between_devices(PAIR("", "cuda:0", "cuda:1"), 197e9, "direct");
    o.check->state.nvlinks = 18;
    o.check->state.nvlinks_active = 9;
    judge(&o);
    assert_outcome(&o, CHECK_SLOW, CHECK_LINK_WIDTH,
                   "Copy to GPU 1: 197.0 of 395.0 GB/s: 9 of 18 NVLinks work");
    end(&o);
    // Fewer links than the chip has are no fault if they are as fast as those of other cards.
    o = between_devices(PAIR("", "cuda:0", "cuda:1"), 395e9, "direct");
    o.check->state.nvlinks = 18;
    o.check->state.nvlinks_active = 12;
    judge(&o);
    assert_outcome(&o, CHECK_HEALTHY, CHECK_OK, NULL);
    assert_string_equal(o.check->remarks[0], "12 of 18 NVLinks work");
    end(&o);
}

// Given a run of this very card, which the first device of its API made, when pairs are judged,
// then each pair is compared with itself.
static void a_pair_of_the_very_card_is_compared_with_itself(void **state)
{
    (void)state;
    struct run *own = cards(2, PAIR("", "cuda:0", "cuda:0"), 2e12, 0);
    own->devices[1].uuid = "ffffffffffffffffffffffffffffffff";
    set_way(own, add_result(own, PAIR("", "cuda:1", "cuda:0"), 395e9), "direct");
    set_way(own, add_result(own, PAIR("", "cuda:1", "cuda:2"), 200e9), "direct");
    own->results[2]->device = own->results[3]->device = own->devices[0].id;
    struct outcome o = begin(own, PAIR("", "cuda:0", "cuda:2"), 200e9);
    set_way(o.run, o.result, "direct");
    for (int i = 1; i < 3; i++)
        run_add_device(o.run)->id = arena_printf(o.run->arena, "cuda:%d", i);
    judge(&o);
    assert_outcome(&o, CHECK_HEALTHY, CHECK_OK, NULL);
    assert_true(o.check->figures[0].expected == 200e9);
    assert_int_equal(o.check->figures[0].cards, 1);
    end(&o);
}

static void data_lost_between_two_devices_break_these_two(void **state)
{
    (void)state;
    struct outcome o = between_devices(PAIR("", "cuda:2", "cuda:3"), 394e9, "direct");
    result_flag(o.run->arena, o.result, VERDICT_FAILED, "mismatch", "why");
    judge(&o);
    assert_outcome(&o, CHECK_UNKNOWN, CHECK_NOT_MEASURED, NULL);
    o.check->device = "cuda:3";
    judge(&o);
    assert_outcome(&o, CHECK_BROKEN, CHECK_WRONG_RESULTS, NULL);
    end(&o);
}

static void errors_are_broken_and_corrected_ones_a_remark(void **state)
{
    (void)state;
    struct outcome o = begin(cards(8, DRAM_READ, 4.6e12, 0.001), DRAM_READ, 4.6e12);
    o.check->state.ecc_corrected = 3;
    o.check->state.ecc_uncorrected = 0;
    judge(&o);
    assert_outcome(&o, CHECK_HEALTHY, CHECK_OK, NULL);
    assert_string_equal(o.check->remarks[0], "3 corrected ECC errors during the check");
    end(&o);
    o = begin(cards(8, DRAM_READ, 4.6e12, 0.001), DRAM_READ, 4.6e12);
    o.check->state.ecc_uncorrected = 1;
    judge(&o);
    assert_outcome(&o, CHECK_BROKEN, CHECK_ERRORS, "1 uncorrected ECC error during the check");
    end(&o);
}

static void memory_and_links_that_the_driver_counts_as_bad(void **state)
{
    (void)state;
    struct outcome o = begin(cards(8, DRAM_READ, 4.6e12, 0.001), DRAM_READ, 4.6e12);
    o.check->state.remap_failed = 1;
    judge(&o);
    assert_outcome(&o, CHECK_BROKEN, CHECK_ERRORS,
                   "a row of memory failed and no spare row is left");
    end(&o);
    o = begin(cards(8, DRAM_READ, 4.6e12, 0.001), DRAM_READ, 4.6e12);
    o.check->state.nvlink_recoveries = 2;
    judge(&o);
    assert_outcome(&o, CHECK_BROKEN, CHECK_ERRORS, "2 NVLink retrainings during the check");
    end(&o);
    o = begin(cards(8, DRAM_READ, 4.6e12, 0.001), DRAM_READ, 4.6e12);
    o.check->state.remap_failed = 0;
    o.check->state.remap_pending = 1;
    o.check->state.remapped_rows = 3;
    o.check->state.nvlink_replays = 7;
    o.check->state.retired_pages = 2;
    judge(&o);
    assert_outcome(&o, CHECK_HEALTHY, CHECK_OK, NULL);
    assert_int_equal(o.check->remark_count, 3);
    assert_string_equal(o.check->remarks[0], "7 NVLink replays during the check");
    assert_string_equal(o.check->remarks[1],
                        "a row of memory will be replaced at the next reset of the card");
    assert_string_equal(o.check->remarks[2], "2 pages of memory are retired");
    end(&o);
}

static void what_broke_comes_before_what_is_slow_or_busy(void **state)
{
    (void)state;
    static const struct {
        const char *reason;
        enum check_code code;
    } rows[] = {
        {"mismatch", CHECK_WRONG_RESULTS}, {"timeout", CHECK_HUNG}, {"device-lost", CHECK_LOST}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct outcome o = begin(cards(8, DRAM_READ, 4.6e12, 0.001), DRAM_READ, 1e12);
        result_flag(o.run->arena, o.result, VERDICT_SUSPECT, "shared-device", "pid 4711 python");
        struct result *failed = add_result(o.run, TO_DEVICE, 1);
        result_flag(o.run->arena, failed, VERDICT_FAILED, rows[i].reason, "why");
        judge(&o);
        assert_outcome(&o, CHECK_BROKEN, rows[i].code, TO_DEVICE ": why");
        end(&o);
    }
}

static void a_busy_card_is_not_called_slow(void **state)
{
    (void)state;
    struct outcome o = begin(cards(8, DRAM_READ, 4.6e12, 0.001), DRAM_READ, 1e12);
    result_flag(o.run->arena, o.result, VERDICT_SUSPECT, "shared-device", "pid 4711 python");
    judge(&o);
    assert_outcome(&o, CHECK_UNKNOWN, CHECK_BUSY, "busy: pid 4711 python");
    end(&o);
}

static void nothing_measured_is_unknown_with_the_reason(void **state)
{
    (void)state;
    struct outcome o = begin(cards(8, DRAM_READ, 4.6e12, 0.001), DRAM_READ, 1e12);
    o.result->metric_count = 0;
    result_flag(o.run->arena, o.result, VERDICT_SKIPPED, "out-of-memory", "no memory is left");
    judge(&o);
    assert_outcome(&o, CHECK_UNKNOWN, CHECK_NOT_MEASURED, "no memory is left");
    end(&o);
}

static void the_worst_verdict_counts(void **state)
{
    (void)state;
    struct check checks[4] = {{.verdict = CHECK_HEALTHY},
                              {.verdict = CHECK_UNKNOWN},
                              {.verdict = CHECK_SLOW},
                              {.verdict = CHECK_BROKEN}};
    assert_int_equal(expectation_worst(checks, 0), CHECK_UNKNOWN);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(expectation_worst(checks, i + 1), checks[i].verdict);
}

static void the_program_has_references_of_the_h200(void **state)
{
    (void)state;
    struct outcome o = begin(expectation_builtin(), DRAM_READ, 4.6e12);
    assert_non_null(o.others);
    struct case_value shape = text_value("shape", "best");
    shape.role = PARAM_METHOD;
    o.result->bench_case.values[o.result->bench_case.value_count++] = shape;
    judge(&o);
    assert_outcome(&o, CHECK_HEALTHY, CHECK_OK, NULL);
    assert_true(o.check->figures[0].cards >= 4);
    assert_int_equal(o.check->figures[0].basis, CHECK_BASIS_REFERENCE);
    end(&o);
}

// Leaves out the devices of the run with this UUID.
static void forget(struct run *run, const char *uuid)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->device_count; i++)
        if (strcmp(run->devices[i].uuid, uuid) != 0)
            run->devices[kept++] = run->devices[i];
    run->device_count = kept;
}

static void no_card_of_the_references_is_slow_against_the_others(void **state)
{
    (void)state;
    size_t judged = 0;
    struct run *run = expectation_builtin();
    for (size_t i = 0; i < run->device_count; i++) {
        struct run *others = expectation_builtin();
        forget(others, run->devices[i].uuid);
        const struct expectation expectation = {
            .runs = &others, .run_count = 1, .basis = CHECK_BASIS_REFERENCE};
        struct check *check = run_add_check(run);
        check->device = run->devices[i].id;
        check_take_figures(run, check);
        expectation_judge(run, &expectation, check);
        for (size_t f = 0; f < check->figure_count; f++)
            judged += check->figures[f].judgement == CHECK_FIGURE_OK;
        if (check->verdict == CHECK_SLOW)
            print_message("%s\n", check->cause);
        if (check->verdict != CHECK_HEALTHY && check->figure_count > 0)
            assert_int_equal(check->code, CHECK_NO_EXPECTATION);
        run_destroy(others);
    }
    print_message("%zu figures judged\n", judged);
    assert_true(judged > 50);
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_pool_what_is_comparable),
        cmocka_unit_test(own_runs_bound_by_how_they_repeat),
        cmocka_unit_test(one_card_bounds_as_compare_does),
        cmocka_unit_test(few_cards_bound_by_the_spread_of_all_models),
        cmocka_unit_test(eight_cards_bound_by_their_own_spread),
        cmocka_unit_test(cards_of_another_power_limit_or_ecc_state_are_left_out),
        cmocka_unit_test(another_branch_of_the_driver_is_a_remark),
        cmocka_unit_test(the_share_of_a_limit_is_that_of_the_architecture),
        cmocka_unit_test(a_shortened_result_is_as_good_an_expectation),
        cmocka_unit_test(runs_of_one_card_are_one_card),
        cmocka_unit_test(a_low_memory_clock_is_the_cause),
        cmocka_unit_test(a_core_clock_that_power_or_heat_lowers_is_told_apart),
        cmocka_unit_test(a_link_is_slow_by_its_lanes_or_its_generation),
        cmocka_unit_test(other_work_of_the_host_slows_rounds_of_a_link_and_a_fault_slows_all),
        cmocka_unit_test(two_steps_of_the_core_clock_are_healthy),
        cmocka_unit_test(a_link_to_the_host_is_slow_from_halfway_to_its_half),
        cmocka_unit_test(any_pair_of_the_model_is_the_expectation_of_a_pair),
        cmocka_unit_test(a_pair_of_the_very_card_is_compared_with_itself),
        cmocka_unit_test(data_lost_between_two_devices_break_these_two),
        cmocka_unit_test(errors_are_broken_and_corrected_ones_a_remark),
        cmocka_unit_test(memory_and_links_that_the_driver_counts_as_bad),
        cmocka_unit_test(a_slow_link_between_devices_has_lost_some_of_its_lanes),
        cmocka_unit_test(what_broke_comes_before_what_is_slow_or_busy),
        cmocka_unit_test(a_busy_card_is_not_called_slow),
        cmocka_unit_test(nothing_measured_is_unknown_with_the_reason),
        cmocka_unit_test(the_worst_verdict_counts),
        cmocka_unit_test(the_program_has_references_of_the_h200),
        cmocka_unit_test(no_card_of_the_references_is_slow_against_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
