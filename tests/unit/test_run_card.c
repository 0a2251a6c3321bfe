// SPDX-License-Identifier: MIT
// Tests the figures and the notes of a card. tests/cli/test_card.py tests how a card looks.
#include "analysis/card.h"
#include "golden/golden.h"
#include "report/console.h"
#include "results/codec.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static const struct param_info params[] = {
    {.key = "op", .type = PARAM_TEXT, .role = PARAM_AXIS},
    {.key = "bytes", .type = PARAM_BYTES, .unit = UNIT_BYTE, .role = PARAM_AXIS},
};
static const struct metric_info metrics[] = {
    {.name = "latency", .unit = UNIT_NS, .better = BETTER_LOWER},
    {.name = "bandwidth", .unit = UNIT_BYTE_PER_S, .better = BETTER_HIGHER},
};
static const struct headline_info chase_headlines[] = {
    {.kind = HEADLINE_LEVELS,
     .metric = "latency",
     .by = "bytes",
     .section = CARD_LATENCY,
     .row = "latency"},
};
static const struct headline_info read_headlines[] = {
    {.kind = HEADLINE_BEST,
     .metric = "bandwidth",
     .where = "op=link",
     .section = CARD_HOST,
     .row = "Link"},
    {.kind = HEADLINE_BEST,
     .metric = "bandwidth",
     .where = "op=read",
     .by = "bytes",
     .level = CARD_LEVEL_L2,
     .section = CARD_BANDWIDTH,
     .row = "L2 read"},
    {.kind = HEADLINE_BEST,
     .metric = "bandwidth",
     .where = "op=read",
     .by = "bytes",
     .level = CARD_LEVEL_DRAM,
     .section = CARD_BANDWIDTH,
     .row = "DRAM",
     .name = "read"},
    {.kind = HEADLINE_BEST, .title = "Other", .metric = "bandwidth", .where = "op=other"},
};
static const struct headline_info tuned_headlines[] = {
    {.kind = HEADLINE_BEST,
     .metric = "bandwidth",
     .where = "op=read",
     .section = CARD_BANDWIDTH,
     .row = "DRAM",
     .name = "read"},
    {.kind = HEADLINE_BEST,
     .metric = "bandwidth",
     .where = "op=copy",
     .section = CARD_BANDWIDTH,
     .row = "DRAM",
     .name = "copy"},
};
static const struct headline_info walk_headlines[] = {
    {.kind = HEADLINE_BEST, .title = "DRAM read", .metric = "bandwidth"},
};
#define BENCHMARK(benchmark, list)                                                                 \
    static const struct benchmark_info benchmark = {.name = #benchmark,                            \
                                                    .version = 1,                                  \
                                                    BENCHMARK_TABLE(param, params),                \
                                                    BENCHMARK_TABLE(metric, metrics),              \
                                                    BENCHMARK_TABLE(headline, list)}
BENCHMARK(chase, chase_headlines);
BENCHMARK(reads, read_headlines);
BENCHMARK(tuned, tuned_headlines);
BENCHMARK(walk, walk_headlines);

static struct run *new_run(const char *device)
{
    struct run *run = run_create();
    struct run_device *added = run_add_device(run);
    added->id = "vulkan:0";
    added->name = device;
    added->kind = "discrete";
    run->started = "2026-01-02T03:04:05Z";
    run_add_benchmark(run, &reads);
    run_add_benchmark(run, &tuned);
    run_add_benchmark(run, &walk);
    run_add_benchmark(run, &chase);
    return run;
}

static struct result *add_case(struct run *run, const struct benchmark_info *info, const char *op,
                               double bytes, double value)
{
    struct result *result = run_add_result(run);
    const struct metric_info *metric = &metrics[info != &chase];
    result->benchmark = info->name;
    result->version = 1;
    result->device = "vulkan:0";
    result->key = "key";
    result->bench_case.values = ARENA_ARRAY(run->arena, 2, struct case_value);
    result->bench_case.values[0] = case_value_of(&params[0]);
    result->bench_case.values[0].text = op;
    result->bench_case.values[1] = case_value_of(&params[1]);
    result->bench_case.values[1].uint = (uint64_t)bytes;
    result->bench_case.value_count = 2;
    result->metrics = ARENA_ARRAY(run->arena, 1, struct metric);
    result->metrics[0] = (struct metric){.name = metric->name,
                                         .unit = metric->unit,
                                         .better = metric->better,
                                         .median = value,
                                         .ci95 = {value * 0.99, value * 1.01},
                                         .limit = NAN};
    result->metric_count = 1;
    return result;
}

// A curve with flat parts: 10 ns up to 64 KiB, 100 ns up to 4 MiB, then 400 ns up to 2^last.
static void add_curve(struct run *run, double last)
{
    for (unsigned half = 20; half <= 2 * last; half++)
        add_case(run, &chase, "read", round(exp2(half / 2.0)),
                 half <= 32   ? 10
                 : half <= 44 ? 100
                              : 400);
}

static void flag(struct run *run, struct result *result)
{
    result_flag(run->arena, result, VERDICT_SUSPECT, "drift", "it drifted");
}

static const struct card_figure *figure_at(const struct card *card, const char *label, size_t k)
{
    for (size_t i = 0; i < card->count; i++)
        if (strcmp(card->rows[i].label, label) == 0 && k < card->rows[i].count)
            return &card->rows[i].figures[k];
    return NULL;
}

// ---------------------------------------------------------------- figures

static void rows_stand_in_the_order_of_the_sections(void **state)
{
    (void)state;
    struct run *run = new_run("A");
    add_curve(run, 28);
    add_case(run, &reads, "link", 1, 5e10);
    add_case(run, &tuned, "copy", 1, 3e12);
    add_case(run, &tuned, "read", 1, 4e12);
    struct card card;
    card_build(run->arena, run, "vulkan:0", NULL, &card);
    static const char *const labels[] = {"L1 latency", "L2 latency", "DRAM latency", "DRAM",
                                         "Link"};
    assert_int_equal(card.count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(card.rows[i].label, labels[i]);
    assert_string_equal(figure_at(&card, "DRAM", 0)->title, "DRAM read");
    assert_string_equal(figure_at(&card, "DRAM", 1)->title, "DRAM copy");
    assert_float_equal(figure_at(&card, "L2 latency", 0)->value, 100, 0.1);
    assert_null(card.reference);
    assert_null(card.warning);
    run_destroy(run);
}

static void a_curve_that_ends_near_a_cache_shows_no_memory(void **state)
{
    (void)state;
    struct run *run = new_run("A");
    add_curve(run, 23.5); // less than four times 4 MiB
    struct card card;
    card_build(run->arena, run, "vulkan:0", NULL, &card);
    assert_non_null(figure_at(&card, "L1 latency", 0));
    assert_non_null(figure_at(&card, "L2 latency", 0));
    assert_null(figure_at(&card, "DRAM latency", 0));
    run_destroy(run);
}

static void the_bandwidth_of_a_level_comes_from_working_sets_that_fit_it(void **state)
{
    (void)state;
    struct run *run = new_run("A");
    add_case(run, &reads, "read", 32 << 10, 9e13);  // fits in L1
    add_case(run, &reads, "read", 1 << 20, 2e13);   // fits in L2, but L1 holds a part of it
    add_case(run, &reads, "read", 2 << 20, 1e13);   // fits in L2
    add_case(run, &reads, "read", 3 << 20, 0.9e13); // more than half of L2
    add_case(run, &reads, "read", 8 << 20, 6e12);   // partly in L2
    add_case(run, &reads, "read", 64 << 20, 4e12);  // memory
    struct card card;
    card_build(run->arena, run, "vulkan:0", NULL, &card);
    // Without a curve the sizes of the levels are not known.
    assert_null(figure_at(&card, "L2 read", 0));
    add_curve(run, 28);
    card_build(run->arena, run, "vulkan:0", NULL, &card);
    assert_true(figure_at(&card, "L2 read", 0)->value == 1e13);
    assert_true(figure_at(&card, "DRAM", 0)->value == 4e12);
    run_destroy(run);
}

static void of_two_benchmarks_the_better_figure_counts(void **state)
{
    (void)state;
    struct run *run = new_run("A");
    add_curve(run, 28);
    add_case(run, &reads, "read", 64 << 20, 4.2e12);
    struct result *other = add_case(run, &tuned, "read", 64 << 20, 4e12);
    struct card card;
    card_build(run->arena, run, "vulkan:0", NULL, &card);
    assert_string_equal(figure_at(&card, "DRAM", 0)->benchmark, "reads");
    assert_string_equal(figure_at(&card, "DRAM", 0)->other->benchmark, "tuned");
    other->metrics[0].median = 5e12;
    card_build(run->arena, run, "vulkan:0", NULL, &card);
    assert_string_equal(figure_at(&card, "DRAM", 0)->benchmark, "tuned");
    assert_string_equal(figure_at(&card, "DRAM", 0)->other->benchmark, "reads");
    assert_null(figure_at(&card, "DRAM", 0)->other->other);
    // A result that is not trusted is the figure only if it is far better.
    flag(run, other);
    card_build(run->arena, run, "vulkan:0", NULL, &card);
    assert_string_equal(figure_at(&card, "DRAM", 0)->reason, "it drifted");
    assert_false(card_figure_trusted(figure_at(&card, "DRAM", 0)));
    other->metrics[0].median = 4.3e12;
    card_build(run->arena, run, "vulkan:0", NULL, &card);
    assert_string_equal(figure_at(&card, "DRAM", 0)->benchmark, "reads");
    run_destroy(run);
}

static void several_figures_of_one_thing_are_a_sentence(void **state)
{
    (void)state;
    struct run *run = new_run("A");
    add_curve(run, 28);
    add_case(run, &reads, "read", 64 << 20, 4.2e12);
    struct result *tuned_read = add_case(run, &tuned, "read", 64 << 20, 4e12);
    // This benchmark has no place on the card, but the title of one that has.
    struct result *walked = add_case(run, &walk, "read", 64 << 20, 3.9e12);
    struct card card;
    card_build(run->arena, run, "vulkan:0", NULL, &card);
    assert_int_equal(card.note_count, 1);
    assert_string_equal(card.notes[0],
                        "DRAM read: 4.200 TB/s in reads, 4.000 TB/s in tuned, 3.900 TB/s in walk; "
                        "each measures it in its own way, and the best is shown");
    // Results that are flagged or nearly the same are not in the note.
    flag(run, tuned_read);
    walked->metrics[0].median = 4.17e12;
    card_build(run->arena, run, "vulkan:0", NULL, &card);
    assert_int_equal(card.note_count, 0);
    run_destroy(run);
}

static void what_is_not_finished_is_provisional(void **state)
{
    (void)state;
    struct run *run = new_run("A");
    struct result *result = add_case(run, &reads, "link", 1, 5e10);
    result_flag(run->arena, result, VERDICT_SUSPECT, "unfinished", "not finished: 2 rounds");
    struct card card;
    card_build(run->arena, run, "vulkan:0", NULL, &card);
    assert_true(figure_at(&card, "Link", 0)->provisional);
    assert_false(card_figure_trusted(figure_at(&card, "Link", 0)));
    run_destroy(run);
}

static void a_row_needs_a_figure_or_a_failure(void **state)
{
    (void)state;
    struct run *run = new_run("A");
    struct result *copy = add_case(run, &tuned, "copy", 1, 1);
    struct result *link = add_case(run, &reads, "link", 1, 1);
    copy->metric_count = link->metric_count = 0;
    result_flag(run->arena, copy, VERDICT_SKIPPED, "unsupported", "no copies here");
    result_flag(run->arena, link, VERDICT_FAILED, "mismatch", "wrong words");
    struct card card;
    card_build(run->arena, run, "vulkan:0", NULL, &card);
    assert_int_equal(card.count, 1);
    assert_string_equal(figure_at(&card, "Link", 0)->reason, "wrong words");
    assert_true(isnan(figure_at(&card, "Link", 0)->value));
    assert_string_equal(card.notes[0], "Not trusted: Link");
    run_destroy(run);
}

static void other_headlines_stand_apart(void **state)
{
    (void)state;
    struct run *run = new_run("A");
    add_case(run, &reads, "other", 1, 7e9);
    struct card card;
    card_build(run->arena, run, "vulkan:0", NULL, &card);
    assert_int_equal(card.count, 0);
    assert_int_equal(card.further_count, 1);
    assert_string_equal(card.further[0].title, "Other");
    run_destroy(run);
}

static void a_cpu_is_called_one(void **state)
{
    (void)state;
    struct run *run = new_run("A");
    struct card card;
    run->devices[0].kind = "cpu";
    card_build(run->arena, run, "vulkan:0", NULL, &card);
    assert_string_equal(card.warning, "These are figures of a CPU, not of a GPU");
    *run_add_finding(run) = (struct finding){.code = CARD_NO_GPU, .text = "No GPU found"};
    card_build(run->arena, run, "vulkan:0", NULL, &card);
    assert_string_equal(card.warning, "No GPU found");
    run_destroy(run);
}

// ---------------------------------------------------------------- beside it

static struct known_figure link_figure = {.row = "Link", .benchmark = "reads", .version = 1};

static struct known_cards known_of(struct known_card *card, const char *device, double value)
{
    link_figure.value = value;
    *card = (struct known_card){.device = device,
                                .api = "vulkan",
                                .preset = "standard",
                                .started = "2026-01-01T00:00:00Z",
                                .figures = &link_figure,
                                .count = 1};
    return (struct known_cards){.cards = card, .count = 1};
}

static void a_card_of_the_same_model_judges(void **state)
{
    (void)state;
    struct run *run = new_run("A");
    add_case(run, &reads, "link", 1, 5e10);
    struct known_card one;
    struct known_cards known = known_of(&one, "A", 5.2e10);
    struct card card;
    card_build(run->arena, run, "vulkan:0", &known, &card);
    assert_true(card.same_model);
    assert_string_equal(card.notes[0], "As fast as the reference A: the only figure that both "
                                       "have is within 10 %");
    known = known_of(&one, "A", 1e11);
    card_build(run->arena, run, "vulkan:0", &known, &card);
    assert_string_equal(card.notes[0],
                        "Link: 50.00 GB/s, 50 % lower than the reference A (100.0 GB/s)");
    known = known_of(&one, "A", 2e10);
    card_build(run->arena, run, "vulkan:0", &known, &card);
    assert_string_equal(card.notes[0],
                        "Link: 50.00 GB/s, 2.5 times that of the reference A (20.00 GB/s)");
    run_destroy(run);
}

static void another_model_another_api_another_version_and_itself_do_not(void **state)
{
    (void)state;
    struct run *run = new_run("A");
    struct result *result = add_case(run, &reads, "link", 1, 5e10);
    struct known_card one;
    struct known_cards known = known_of(&one, "B", 1e11);
    struct card card;
    card_build(run->arena, run, "vulkan:0", &known, &card);
    assert_true(card.reference == &one && !card.same_model);
    assert_true(figure_at(&card, "Link", 0)->reference == 1e11);
    assert_int_equal(card.note_count, 0);
    one.api = "cuda";
    card_build(run->arena, run, "vulkan:0", &known, &card);
    assert_null(card.reference);
    known = known_of(&one, "A", 1e11);
    one.started = run->started;
    card_build(run->arena, run, "vulkan:0", &known, &card);
    assert_null(card.reference);
    known = known_of(&one, "A", 1e11);
    result->version = 2;
    card_build(run->arena, run, "vulkan:0", &known, &card);
    assert_null(card.reference);
    run_destroy(run);
}

static void at_most_five_sentences_the_farthest_from_its_limit_first(void **state)
{
    (void)state;
    struct run *run = new_run("A");
    struct card card = {.run = run, .device = &run->devices[0], .api = "vulkan", .count = 8};
    for (size_t i = 0; i < card.count; i++) {
        const double share = 0.8 - 0.1 * (double)i; // the first one is near its limit
        card.rows[i].count = 1;
        card.rows[i].figures[0] =
            (struct card_figure){.title = arena_printf(run->arena, "figure %zu", i),
                                 .value = share * 1e9,
                                 .limit = 1e9,
                                 .share = share,
                                 .unit = UNIT_BYTE_PER_S,
                                 .reference = NAN,
                                 .verdict = i == 1 || i == 2 ? VERDICT_SUSPECT : VERDICT_OK,
                                 .reason = "noisy"};
    }
    card_judge(run->arena, &card, NULL);
    assert_int_equal(card.note_count, CARD_NOTES_MAX);
    assert_string_equal(card.notes[0], "Not trusted (noisy): figure 1, figure 2");
    assert_string_equal(card.notes[1], "figure 7: 10 % of its limit of 1.000 GB/s");
    assert_string_equal(card.notes[4], "figure 4: 40 % of its limit of 1.000 GB/s");
    run_destroy(run);
}

// ---------------------------------------------------------------- files

static void what_is_trusted_is_written_and_read_again(void **state)
{
    (void)state;
    struct run *run = new_run("A");
    add_case(run, &reads, "link", 1, 5e10);
    flag(run, add_case(run, &tuned, "copy", 1, 3e12));
    struct card card;
    struct error err;
    char *text = NULL;
    size_t bytes;
    card_build(run->arena, run, "vulkan:0", NULL, &card);
    FILE *stream = open_memstream(&text, &bytes);
    assert_true(known_cards_write(&card, 1, stream, &err));
    fclose(stream);
    const struct known_cards *known = known_cards_read(run->arena, text, bytes, "x", &err);
    assert_non_null(known);
    assert_int_equal(known->count, 1);
    assert_int_equal(known->cards[0].count, 1);
    assert_string_equal(known->cards[0].figures[0].row, "Link");
    assert_true(known->cards[0].figures[0].value == 5e10);
    assert_null(known_cards_read(run->arena, "{}", 2, "x", &err));
    assert_int_equal(err.code, ERROR_USAGE);
    free(text);
    run_destroy(run);
}

static void the_program_knows_cards(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    const struct known_cards *known = known_cards_builtin(arena);
    assert_non_null(known);
    assert_true(known->count > 0);
    arena_destroy(arena);
}

static void as_json_it_has_rows_and_notes(void **state)
{
    (void)state;
    struct run *run = new_run("A");
    add_case(run, &reads, "link", 1, 5e10)->metrics[0].limit = 1e11;
    struct card card;
    card_build(run->arena, run, "vulkan:0", NULL, &card);
    struct json_out out = {.arena = run->arena};
    card_put(&out, NULL, &card);
    assert_string_equal(
        json_out_text(&out),
        "{\"device\":\"vulkan:0\",\"name\":\"A\",\"api\":\"vulkan\","
        "\"started\":\"2026-01-02T03:04:05Z\",\"rows\":[{\"section\":\"host\",\"label\":\"Link\","
        "\"figures\":[{\"title\":\"Link\",\"benchmark\":\"reads\",\"key\":\"key\",\"unit\":\"B/s\","
        "\"better\":\"higher\",\"value\":50000000000,\"ci95\":[49500000000,50500000000],"
        "\"limit\":100000000000,\"of_limit\":0.5,\"verdict\":\"ok\"}]}],"
        "\"notes\":[\"Link: 50 % of its limit of 100.0 GB/s\"]}");
    run_destroy(run);
}

static void hostile_texts_are_printed_harmless(void **state)
{
    (void)state;
    struct run *run = new_run("\x1b[2J|<b>A");
    struct result *result = add_case(run, &reads, "link", 1, 5e10);
    result_flag(run->arena, result, VERDICT_SUSPECT, "x", "%s", "a\x1b]0;b|\nc");
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    struct card card;
    card_build(run->arena, run, "vulkan:0", NULL, &card);
    console_card(&card, &(struct console_desc){0}, stream);
    console_card_markdown(&card, stream);
    fclose(stream);
    assert_null(strchr(text, '\x1b'));
    assert_non_null(strstr(text, "### ?[2J//b/A\n"));
    assert_non_null(strstr(text, "| a?]0;b/?c |\n"));
    free(text);
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_stand_in_the_order_of_the_sections),
        cmocka_unit_test(a_curve_that_ends_near_a_cache_shows_no_memory),
        cmocka_unit_test(the_bandwidth_of_a_level_comes_from_working_sets_that_fit_it),
        cmocka_unit_test(of_two_benchmarks_the_better_figure_counts),
        cmocka_unit_test(several_figures_of_one_thing_are_a_sentence),
        cmocka_unit_test(what_is_not_finished_is_provisional),
        cmocka_unit_test(a_row_needs_a_figure_or_a_failure),
        cmocka_unit_test(other_headlines_stand_apart),
        cmocka_unit_test(a_cpu_is_called_one),
        cmocka_unit_test(a_card_of_the_same_model_judges),
        cmocka_unit_test(another_model_another_api_another_version_and_itself_do_not),
        cmocka_unit_test(at_most_five_sentences_the_farthest_from_its_limit_first),
        cmocka_unit_test(what_is_trusted_is_written_and_read_again),
        cmocka_unit_test(the_program_knows_cards),
        cmocka_unit_test(as_json_it_has_rows_and_notes),
        cmocka_unit_test(hostile_texts_are_printed_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
