// SPDX-License-Identifier: MIT
#include "analysis/cross.h"
#include "analysis/pairing.h"
#include "golden/golden.h"
#include "golden/pair_runs.h"
#include "report/console.h"

// A run of one chip through Vulkan and through CUDA; CUDA's numbers are those of another pair_run.
static struct run *both(struct pair_desc vulkan, struct pair_desc cuda)
{
    vulkan.seed = 1;
    cuda.seed = 2;
    cuda.device_id = "cuda:0";
    struct run *run = pair_run(vulkan), *other = pair_run(cuda);
    run->devices[0].uuid = "00112233445566778899aabbccddeeff";
    *run_add_device(run) = (struct run_device){
        .id = "cuda:0", .name = "Made-up GPU", .uuid = "00112233445566778899aabbccddeeff"};
    // Copies all that is kept, because the arena of the other run is destroyed.
    for (size_t i = 0; i < other->result_count; i++) {
        const struct result *from = other->results[i];
        struct result *to = run_add_result(run);
        *to = *from;
        to->device = "cuda:0";
        to->key = arena_strdup(run->arena, from->key);
        to->metrics = ARENA_ARRAY(run->arena, from->metric_count, struct metric);
        memcpy(to->metrics, from->metrics, from->metric_count * sizeof *to->metrics);
        to->bench_case.values =
            ARENA_ARRAY(run->arena, from->bench_case.value_count, struct case_value);
        memcpy(to->bench_case.values, from->bench_case.values,
               from->bench_case.value_count * sizeof *to->bench_case.values);
        for (size_t j = 0; j < to->metric_count; j++)
            to->metrics[j].round_count = 0;
    }
    run_destroy(other);
    return run;
}

static void equal_cases_of_one_chip_stand_side_by_side(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct run *run = both((struct pair_desc){0}, (struct pair_desc){0});
    struct cross cross = cross_of(arena, run);
    assert_int_equal(cross.chip_count, 1);
    const struct cross_chip *chip = &cross.chips[0];
    assert_int_equal(chip->device_count, 2);
    assert_string_equal(chip->devices[chip->reference]->id, "cuda:0");
    assert_int_equal(chip->row_count, 3 * 20); // the row with cycles follows the row with time
    for (size_t i = 0; i < chip->row_count; i++) {
        assert_true(fabs(chip->rows[i].cells[0].ratio.value - 1) < 0.02);
        assert_true(isnan(chip->rows[i].cells[1].ratio.value));
        assert_false(chip->rows[i].apart);
    }
    cross_add_findings(run);
    assert_int_equal(run->finding_count, 0);
    run_destroy(run);
    arena_destroy(arena);
}

static void a_gap_beyond_three_percent_is_a_finding(void **state)
{
    (void)state;
    struct run *run = both((struct pair_desc){.work = 1.08}, (struct pair_desc){0});
    cross_add_findings(run);
    assert_int_equal(run->finding_count, 3); // latency, bandwidth, depth
    const struct finding *finding = &run->findings[0];
    assert_string_equal(finding->code, "api-gap");
    assert_int_equal(finding->key_count, 20);
    assert_true(fabs(finding->value - 1.08) < 0.02);
    assert_non_null(strstr(finding->text,
                           "vulkan:0 ÷ cuda:0: the latency of pair differs by more than "
                           "3 % in 20 of 20 equal cases, the most by the ratio 1.08"));
    run_destroy(run);
}

// Makes the first `count` results of vulkan:0 suspect, and their latency `times` as long.
static void make_suspect(struct run *run, size_t count, double times)
{
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(run->results[i]->device, "vulkan:0");
        run->results[i]->verdict = VERDICT_SUSPECT;
        run->results[i]->metrics[0].median *= times;
    }
}

static void a_gap_of_suspect_results_says_so(void **state)
{
    (void)state;
    static const struct {
        size_t suspect;
        double least, most; // bounds of the finding's value
        const char *text;
    } cases[] = {
        // a suspect result that is far off is not the one that the finding names
        {5, 1.06, 1.1, "in 20 of 20 equal cases, 5 of them suspect, the most of the others by the"},
        {20, 5, 6, "in 20 of 20 equal cases, all of them suspect, the most by the ratio 5."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run *run = both((struct pair_desc){.work = 1.08}, (struct pair_desc){0});
        make_suspect(run, cases[i].suspect, 5);
        cross_add_findings(run);
        assert_true(run->finding_count > 0);
        assert_non_null(strstr(run->findings[0].text, cases[i].text));
        assert_true(run->findings[0].value > cases[i].least);
        assert_true(run->findings[0].value < cases[i].most);
        assert_int_equal(run->findings[0].key_count, 20);
        run_destroy(run);
    }
}

static void a_gap_whose_ratio_has_no_interval_shows_none(void **state)
{
    (void)state;
    // given a gap whose intervals do not overlap, and one of them reaches below 0
    struct run *run = both((struct pair_desc){.work = 1.08}, (struct pair_desc){0});
    for (size_t i = 0; i < run->result_count; i++)
        for (size_t j = 0; j < run->results[i]->metric_count; j++)
            if (strcmp(run->results[i]->device, "cuda:0") == 0)
                run->results[i]->metrics[j].ci95[0] = -1;
    // when
    cross_add_findings(run);
    // then
    assert_true(run->finding_count > 0);
    for (size_t i = 0; i < run->finding_count; i++)
        assert_null(strstr(run->findings[i].text, "nan"));
    run_destroy(run);
}

static void a_gap_within_the_noise_is_none(void **state)
{
    (void)state;
    struct run *run =
        both((struct pair_desc){.work = 1.08, .noise = 0.2}, (struct pair_desc){.noise = 0.2});
    struct arena *arena = arena_create();
    struct cross cross = cross_of(arena, run);
    size_t apart = 0;
    for (size_t i = 0; i < cross.chips[0].row_count; i++)
        apart += cross.chips[0].rows[i].apart;
    assert_true(apart <= 1);
    run_destroy(run);
    arena_destroy(arena);
}

static void unequal_methods_have_no_ratio(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct run *run = both((struct pair_desc){.laps = 2}, (struct pair_desc){.work = 2});
    struct cross cross = cross_of(arena, run);
    assert_int_equal(cross.chips[0].row_count, 60);
    assert_true(isnan(cross.chips[0].rows[0].cells[0].ratio.value));
    cross_add_findings(run);
    assert_int_equal(run->finding_count, 0);
    run_destroy(run);
    arena_destroy(arena);
}

static void other_chips_are_not_mixed(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct run *run = both((struct pair_desc){0}, (struct pair_desc){0});
    run->devices[1].uuid = "ffeeddccbbaa99887766554433221100";
    assert_int_equal(cross_of(arena, run).chip_count, 0);
    run->devices[0].uuid = run->devices[1].uuid = NULL;
    assert_int_equal(cross_of(arena, run).chip_count, 0);
    run->devices[0].pci = run->devices[1].pci = "0000:1b:00.0";
    assert_int_equal(cross_of(arena, run).chip_count, 1);
    // Each API makes up a UUID of its own.
    run->devices[0].uuid = "00112233445566778899aabbccddeeff";
    run->devices[1].uuid = "ffeeddccbbaa99887766554433221100";
    assert_int_equal(cross_of(arena, run).chip_count, 1);
    run->devices[1].id = "vulkan:1"; // the same API twice is no second API
    assert_int_equal(cross_of(arena, run).chip_count, 0);
    run_destroy(run);
    arena_destroy(arena);
}

static void the_processors_of_the_host_are_one_chip(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct run *run = both((struct pair_desc){0}, (struct pair_desc){0});
    run->devices[0].uuid = "6c6c766d706970655555494400000000";
    run->devices[1].uuid = NULL;
    run->devices[0].kind = "cpu";
    run->devices[1].kind = "discrete";
    assert_int_equal(cross_of(arena, run).chip_count, 0);
    run->devices[1].kind = "cpu";
    assert_int_equal(cross_of(arena, run).chip_count, 1);
    run_destroy(run);
    arena_destroy(arena);
}

// Returns the end of the console's report; the caller frees it.
static char *end_of(const struct run *run, struct console_desc desc)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    console_end(run, &desc, stream);
    fclose(stream);
    return text;
}

static void the_console_shows_the_table(void **state)
{
    (void)state;
    struct run *run =
        both((struct pair_desc){.cases = 4, .work = 1.08}, (struct pair_desc){.cases = 4});
    char *text = end_of(run, (struct console_desc){0});
    assert_non_null(strstr(text, "Made-up GPU through 2 APIs"));
    assert_non_null(strstr(text, "case (ratios to cuda:0)"));
    assert_non_null(strstr(text, "the latency of pair"));
    assert_non_null(strstr(text, "  1 KiB\n"));
    assert_non_null(strstr(text, "vulkan:0 ÷ cuda:0: 12 equal values, median ratio 1.0"));
    free(text);
    // If a ratio is as wide as its column, a blank still separates it from the number before.
    struct metric *noisy = &run->results[0]->metrics[0];
    noisy->ci95[0] = noisy->median * 0.01;
    noisy->ci95[1] = noisy->median * 960;
    noisy->median *= 16;
    text = end_of(run, (struct console_desc){0});
    assert_non_null(strstr(text, "s 17."));
    free(text);
    const char *chosen[] = {"pair", "another"};
    text = end_of(run, (struct console_desc){.benchmarks = chosen, .benchmark_count = 1});
    assert_non_null(strstr(text, "the latency of pair"));
    free(text);
    text = end_of(run, (struct console_desc){.benchmarks = chosen + 1, .benchmark_count = 1});
    assert_null(strstr(text, "APIs"));
    free(text);
    run_destroy(run);
}

static void numbers_of_two_devices_never_touch(void **state)
{
    (void)state;
    struct run *run = both((struct pair_desc){.cases = 4}, (struct pair_desc){.cases = 4});
    // Given rates that are as wide as "123.4 TFLOP/s", and a time that is a lower bound.
    for (size_t i = 0; i < run->result_count; i++) {
        struct metric *rate = &run->results[i]->metrics[2];
        rate->unit = UNIT_OP_PER_S;
        rate->floating = true;
        rate->median = rate->ci95[0] = rate->ci95[1] = 123.4e12;
        run->results[i]->metrics[0].at_least = i == 0;
    }
    char *text = end_of(run, (struct console_desc){0});
    assert_non_null(strstr(text, " 123.4 TFLOP/s   1.000 ±0.000 123.4 TFLOP/s  1 KiB\n"));
    assert_non_null(strstr(text, "≥ 150."));
    free(text);
    run_destroy(run);
}

static void look_ups_find_the_last_of_a_key(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct run *run = pair_run((struct pair_desc){.seed = 1});
    struct result *again = run_add_result(run);
    *again = *run->results[7];
    struct result_index index = result_index_of(arena, run);
    assert_ptr_equal(result_index_find(&index, "vulkan:0", again->key), again);
    assert_ptr_equal(result_index_find(&index, "vulkan:0", run->results[3]->key), run->results[3]);
    assert_null(result_index_find(&index, "cuda:0", again->key));
    assert_null(result_index_find(&index, "vulkan:0", "pair/bytes=7"));
    run_destroy(run);
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_cases_of_one_chip_stand_side_by_side),
        cmocka_unit_test(a_gap_beyond_three_percent_is_a_finding),
        cmocka_unit_test(a_gap_of_suspect_results_says_so),
        cmocka_unit_test(a_gap_whose_ratio_has_no_interval_shows_none),
        cmocka_unit_test(a_gap_within_the_noise_is_none),
        cmocka_unit_test(unequal_methods_have_no_ratio),
        cmocka_unit_test(other_chips_are_not_mixed),
        cmocka_unit_test(the_processors_of_the_host_are_one_chip),
        cmocka_unit_test(the_console_shows_the_table),
        cmocka_unit_test(numbers_of_two_devices_never_touch),
        cmocka_unit_test(look_ups_find_the_last_of_a_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
