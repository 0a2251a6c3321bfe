// SPDX-License-Identifier: MIT
// Tests the sentences about a card, and where a terminal prints why figures are not trusted.
#include "analysis/card.h"
#include "report/console.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char reason[] = "other work ran on the device";

// Fills a card with `count` rows of one figure each: 1 GB/s where a known card of the same model
// has `reference`.
static void fill(struct card *card, struct run *run, size_t count, double reference,
                 enum better better)
{
    struct run_device *device = run_add_device(run);
    device->id = "vulkan:0";
    device->name = "A";
    run->status = RUN_COMPLETE;
    *card = (struct card){.run = run, .device = device, .api = "vulkan", .count = count};
    struct known_figure *known = ARENA_ARRAY(run->arena, count, struct known_figure);
    for (size_t i = 0; i < count; i++) {
        const char *label = arena_printf(run->arena, "figure %zu", i);
        card->rows[i] = (struct card_row){.label = label, .count = 1};
        card->rows[i].figures[0] = (struct card_figure){.title = label,
                                                        .benchmark = "reads",
                                                        .unit = UNIT_BYTE_PER_S,
                                                        .better = better,
                                                        .value = 1e9,
                                                        .ci95 = {NAN, NAN},
                                                        .cycles = NAN,
                                                        .core_clock_hz = NAN,
                                                        .share = NAN,
                                                        .reference = NAN};
        known[i] = (struct known_figure){label, NULL, "reads", 0, reference};
    }
    struct known_card *twin = ARENA_NEW(run->arena, struct known_card);
    *twin = (struct known_card){"A", "vulkan", NULL, "earlier", known, count};
    card_judge(run->arena, card, &(struct known_cards){twin, 1});
}

static void flag(struct card *card, size_t row, const char *why)
{
    card->rows[row].figures[0].verdict = VERDICT_SUSPECT;
    card->rows[row].figures[0].reason = why;
}

// Judges the card anew and returns how often the reason is printed with it.
static size_t times_told(struct card *card, struct run *run)
{
    char *text = NULL;
    size_t bytes = 0, times = 0;
    FILE *stream = open_memstream(&text, &bytes);
    card->note_count = 0;
    card_judge(run->arena, card, NULL);
    assert_true(console_card(card, &(struct console_desc){0}, stream));
    fclose(stream);
    for (const char *at = text; (at = strstr(at, reason)) != NULL; at++)
        times++;
    free(text);
    return times;
}

static void a_reason_that_all_share_is_told_once(void **state)
{
    (void)state;
    // given a card with two figures, not next to each other, that one reason flags
    struct run *run = run_create();
    struct card card;
    fill(&card, run, 5, NAN, BETTER_HIGHER);
    flag(&card, 1, reason);
    flag(&card, 3, reason);
    // when it is printed, then only the note has the reason
    assert_int_equal(times_told(&card, run), 1);
    assert_string_equal(card.notes[0],
                        "Not trusted (other work ran on the device): figure 1, figure 3");
    // when one more figure has another reason, then each figure has its reason below it
    flag(&card, 4, "noisy");
    assert_int_equal(times_told(&card, run), 2);
    assert_string_equal(card.notes[0], "Not trusted: figure 1, figure 3, figure 4");
    run_destroy(run);
}

static void further_differences_are_counted(void **state)
{
    (void)state;
    static const char *const last[] = {"1 further figure differs by more than 10 % from it",
                                       "2 further figures differ by more than 10 % from it"};
    for (size_t more = 1; more <= 2; more++) {
        struct run *run = run_create();
        struct card card;
        fill(&card, run, 2 + more, 2e9, BETTER_HIGHER);
        assert_int_equal(card.note_count, 3);
        assert_string_equal(card.notes[2], last[more - 1]);
        run_destroy(run);
    }
}

// Given latencies near the bound of 10 %, then the bound counts what the sentence says: a latency
// that is 10.7 % higher is not within 10 %, and one that is 9.5 % lower is.
static void a_latency_differs_by_as_much_as_the_note_says(void **state)
{
    (void)state;
    for (int higher = 0; higher < 2; higher++) {
        struct run *run = run_create();
        struct card card;
        fill(&card, run, 1, 1e9 / (higher ? 1.107 : 0.905), BETTER_LOWER);
        double gain = card_figure_gain(&card.rows[0].figures[0]);
        assert_true(fabs(gain - (higher ? -0.107 : 0.095)) < 1e-9);
        assert_string_equal(
            card.notes[0], higher ? "figure 0: 1.000 GB/s, 11 % higher than the reference A "
                                    "(903.3 MB/s)"
                                  : "As fast as the reference A: the only figure that both have is "
                                    "within 10 %");
        run_destroy(run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reason_that_all_share_is_told_once),
        cmocka_unit_test(further_differences_are_counted),
        cmocka_unit_test(a_latency_differs_by_as_much_as_the_note_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
