// SPDX-License-Identifier: MIT
// Tests, with scripted clocks, when samples are taken again because of their core clock, after
// which lead, and which clock a load keeps.
#include "measure/pace.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void a_clock_is_lower_by_more_than_the_margin(void **state)
{
    (void)state;
    assert_true(pace_is_lower(1945e6, 1980e6, 0));
    assert_false(pace_is_lower(1955e6, 1980e6, 0));
    // At low clocks the margin is a step of 15 MHz, which is larger; a clock with a large error has
    // a margin of its own.
    assert_false(pace_is_lower(500e6, 514e6, 0));
    assert_true(pace_is_lower(490e6, 514e6, 0));
    assert_false(pace_is_lower(1900e6, 1980e6, 0.05));
    // An unknown clock is not lower.
    assert_false(pace_is_lower(NAN, 1980e6, 0));
    assert_false(pace_is_lower(1305e6, 0, 0));
}

// A card that sleeps: its clock is high only after leads of this total length.
struct dozing {
    uint64_t awake_after_ns;
    double low_hz, high_hz;
    int samplings;
    uint64_t waited_ns;
};

// Makes a visit, with the leads that the pace asks for. Returns the last clock.
static double visit(struct measure_pace *pace, struct dozing *card, double *case_hz, bool sparse)
{
    double hz;
    pace_begin(pace, case_hz);
    card->waited_ns = 0;
    card->samplings = 0;
    do {
        card->waited_ns += pace_lead_ns(pace, sparse);
        hz = card->waited_ns >= card->awake_after_ns ? card->high_hz : card->low_hz;
        card->samplings++;
    } while (pace_again(pace, hz, 0));
    return hz;
}

static void a_dozing_card_is_woken(void **state)
{
    (void)state;
    static const uint64_t waits_ns[] = {0, 1000000, 20000000, 100000000};
    for (size_t i = 0; i < sizeof waits_ns / sizeof *waits_ns; i++) {
        struct measure_pace pace = {.fastest_hz = 1980e6};
        struct dozing card = {waits_ns[i], 510e6, 1980e6, 0, 0};
        double case_hz = 0;
        assert_true(visit(&pace, &card, &case_hz, false) == 1980e6);
        assert_true(card.waited_ns <= 4 * waits_ns[i] + PACE_LEAD_FIRST_NS);
        assert_true(case_hz == 0); // no lower clock was accepted
    }
}

static void leads_that_do_not_help_end_and_are_not_tried_in_each_round(void **state)
{
    (void)state;
    // Given a load that keeps 1.8 GHz however long it waits.
    struct measure_pace pace = {.fastest_hz = 1980e6};
    struct dozing card = {UINT64_MAX, 1800e6, 1800e6, 0, 0};
    double case_hz = 0, other_hz = 0;
    visit(&pace, &card, &case_hz, false);
    assert_in_range(card.waited_ns, PACE_PATIENCE_NS, 2 * PACE_PATIENCE_NS);
    assert_true(case_hz == 1800e6);
    // Then the next rounds of the case accept this clock, and leads for the next case give up
    // earlier.
    visit(&pace, &card, &case_hz, false);
    assert_int_equal(card.samplings, 1);
    visit(&pace, &card, &other_hz, false);
    assert_in_range(card.waited_ns, 1, PACE_PATIENCE_NS);
    // A higher clock becomes that of the case; then a lower one is noticed.
    card.high_hz = card.low_hz = 1850e6;
    visit(&pace, &card, &case_hz, false);
    assert_true(case_hz == 1850e6);
    card = (struct dozing){1000000, 510e6, 1850e6, 0, 0};
    assert_true(visit(&pace, &card, &case_hz, false) == 1850e6);
    assert_int_equal(card.samplings, 2);
}

static void a_low_clock_is_tried_with_all_leads_again(void **state)
{
    (void)state;
    // Given a case that accepted a low clock, although its load keeps a higher one.
    struct measure_pace pace = {.fastest_hz = 1980e6};
    struct dozing card = {UINT64_MAX, 510e6, 1980e6, 0, 0};
    double case_hz = 0, kept_hz;
    const struct visit_clock high = {.low_hz = 1980e6, .high_hz = 1980e6, .load = 1},
                             low = {.low_hz = 510e6, .high_hz = 510e6, .load = 1};
    pace_judge(&pace, 1980e6, &high, &kept_hz);
    visit(&pace, &card, &case_hz, false);
    assert_true(case_hz == 510e6);
    assert_int_equal(pace_judge(&pace, 510e6, &low, &kept_hz), PACE_LOW);
    assert_true(kept_hz == 1980e6);
    // When the case is visited again, then leads as long as the first ones raise the clock.
    card.awake_after_ns = PACE_PATIENCE_NS;
    assert_true(visit(&pace, &card, &case_hz, false) == 1980e6);
}

static bool says_limited(void *context)
{
    ++*(int *)context;
    return true;
}

static void what_the_card_limits_is_not_tried(void **state)
{
    (void)state;
    int asked = 0;
    struct measure_pace pace = {.fastest_hz = 1980e6, .limited = says_limited, .context = &asked};
    struct dozing card = {UINT64_MAX, 1750e6, 1750e6, 0, 0};
    double case_hz = 0;
    visit(&pace, &card, &case_hz, false);
    assert_int_equal(card.samplings, 1);
    assert_int_equal(asked, 1);
    assert_true(case_hz == 1750e6);
}

static void sparse_work_gets_the_lead_that_it_needs(void **state)
{
    (void)state;
    // Given a card whose clock is high only if each visit keeps it busy for 3 ms.
    struct measure_pace pace = {.fastest_hz = 1980e6};
    struct dozing card = {3000000, 510e6, 1980e6, 0, 0};
    double case_hz = 0;
    int again = 0;
    for (int i = 0; i < 100; i++) {
        assert_true(visit(&pace, &card, &case_hz, true) == 1980e6);
        again += card.samplings > 1;
    }
    // Then few visits are taken again, and work that is not sparse has no lead.
    assert_in_range(again, 1, 5);
    assert_in_range(pace_lead_ns(&pace, true), 3000000, PACE_SPARSE_MOST_NS);
    assert_int_equal(pace_lead_ns(&pace, false), 0);
    // When the card no longer needs the lead, then the lead becomes shorter.
    card.awake_after_ns = 0;
    for (int i = 0; i < 20 * PACE_CALM; i++)
        visit(&pace, &card, &case_hz, true);
    assert_true(pace_lead_ns(&pace, true) < 100000);
}

// A card that lowers its clock if it was busy for less than `share` of the last second, and raises
// it again after 20 ms of work. A visit takes 3.5 ms, and the device is idle for most of it.
struct governor {
    double share, busy;
    bool awake;
    uint64_t lead_ns; // sum of the leads of all visits
};

static double governed_hz(struct governor *card, uint64_t lead_ns, double visit_ns)
{
    double took_ns = visit_ns + (double)lead_ns, kept = exp(-took_ns / 1e9);
    card->busy = card->busy * kept + (1 - kept) * (double)lead_ns / took_ns;
    card->awake = (card->awake && card->busy >= card->share) || lead_ns >= 20000000;
    card->lead_ns += lead_ns;
    return card->awake ? 1980e6 : 510e6;
}

static void sparse_work_is_kept_awake_with_little_more_work_than_that_takes(void **state)
{
    (void)state;
    static const double shares[] = {0, 0.1, 0.2, 0.3, 0.4};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        struct measure_pace pace = {.fastest_hz = 1980e6};
        struct governor card = {.share = shares[i], .busy = 1, .awake = true};
        double cases_hz[64] = {0};
        for (int v = 0; v < 3200; v++) {
            double visit_ns = 3.5e6, hz;
            pace_begin(&pace, &cases_hz[v % 64]);
            do {
                hz = governed_hz(&card, pace_lead_ns(&pace, true), visit_ns);
                visit_ns = 0.5e6;
            } while (pace_again(&pace, hz, 0));
            assert_true(hz == 1980e6);
        }
        // The least lead in each visit is shares / (1 − shares) of the visit.
        double least_ns = 3200 * 3.5e6 * shares[i] / (1 - shares[i]);
        assert_true((double)card.lead_ns <= 1.2 * least_ns);
    }
}

static void without_a_clock_nothing_is_taken_again(void **state)
{
    (void)state;
    struct measure_pace pace = {.fastest_hz = 1980e6};
    double case_hz = 0;
    pace_begin(&pace, &case_hz);
    assert_false(pace_again(&pace, NAN, 0));
    assert_false(pace_again(&pace, 0, 0));
    assert_false(pace_again(NULL, 1305e6, 0));
    assert_int_equal(pace_lead_ns(NULL, true), 0);
}

static enum pace_verdict judge(struct measure_pace *pace, double hz, uint32_t load)
{
    double kept_hz;
    const struct visit_clock clock = {.low_hz = hz, .high_hz = hz, .load = load};
    pace->visits++;
    return pace_judge(pace, hz, &clock, &kept_hz);
}

static void each_kind_of_load_has_its_own_clock(void **state)
{
    (void)state;
    // Given one core that keeps 2.8 GHz, and a whole chip that keeps 2.1 GHz.
    struct measure_pace pace = {0};
    assert_int_equal(judge(&pace, 2800e6, 1), PACE_KEPT);
    assert_int_equal(judge(&pace, 2100e6, 2), PACE_LOWER);
    assert_int_equal(judge(&pace, 2090e6, 2), PACE_LOWER);
    // Then 1.3 GHz is low for the chip, and 2.1 GHz is low for one core.
    assert_int_equal(judge(&pace, 1300e6, 2), PACE_LOW);
    assert_int_equal(judge(&pace, 2100e6, 1), PACE_LOW);
    // Loads of an unknown kind are only compared with the fastest clock.
    assert_int_equal(judge(&pace, 1300e6, 0), PACE_LOWER);
}

static void a_clock_that_lasts_becomes_the_load_s_own(void **state)
{
    (void)state;
    struct measure_pace pace = {.fastest_hz = 1980e6};
    judge(&pace, 1980e6, 1);
    for (int i = 1; i < PACE_LASTING; i++)
        assert_int_equal(judge(&pace, 1755e6, 1), PACE_LOW);
    assert_int_equal(judge(&pace, 1755e6, 1), PACE_LOWER);
    // A clock that falls again and again is never accepted.
    struct measure_pace other = {.fastest_hz = 1980e6};
    judge(&other, 1980e6, 1);
    for (int i = 1; i < 3 * PACE_LASTING; i++)
        assert_int_equal(judge(&other, 1900e6 * pow(0.97, i), 1), PACE_LOW);
}

static void one_reading_that_is_too_high_makes_no_clock_low(void **state)
{
    (void)state;
    // Given cards whose fastest clock is known or not known, a right reading of 1976 MHz, and one
    // that is 1.4 or 2 % too high.
    static const double known_hz[] = {0, 1980e6}, high_hz[] = {2004e6, 2016e6};
    for (size_t i = 0; i < 4; i++) {
        struct measure_pace pace = {.fastest_hz = known_hz[i / 2]};
        assert_int_equal(judge(&pace, 1976e6, 1), PACE_KEPT);
        assert_int_equal(judge(&pace, high_hz[i % 2], 1), PACE_KEPT);
        // Then a clock within the margin of the right reading is not low, and samples at it are not
        // taken again.
        assert_int_equal(judge(&pace, 1960e6, 1), PACE_KEPT);
        double case_hz = 0;
        pace_begin(&pace, &case_hz);
        assert_false(pace_again(&pace, 1960e6, 0));
        // A second reading that is too high, later, changes nothing.
        judge(&pace, high_hz[i % 2], 1);
        assert_int_equal(judge(&pace, 1960e6, 1), PACE_KEPT);
    }
}

static void a_higher_clock_that_several_visits_have_is_the_load_s(void **state)
{
    (void)state;
    // Given a desktop card that boosts above its product's clock, after a visit at a low clock.
    struct measure_pace pace = {.fastest_hz = 2520e6};
    judge(&pace, 2300e6, 1);
    for (int i = 0; i < PACE_HIGHER; i++)
        assert_int_equal(judge(&pace, 2745e6 + 1e6 * i, 1), PACE_KEPT);
    // Then the product's clock counts as low.
    assert_int_equal(judge(&pace, 2520e6, 1), PACE_LOW);
    assert_int_equal(judge(&pace, 2520e6, 2), PACE_LOWER);
}

static void of_several_higher_readings_the_lowest_counts(void **state)
{
    (void)state;
    // Given an H100: some loads keep 2010 MHz (one reading is 0.3 % too high), others 1980 MHz.
    struct measure_pace pace = {.fastest_hz = 1950e6};
    static const double readings_hz[] = {2010.2e6, 2010.2e6, 2016.5e6};
    for (int i = 0; i < 3; i++)
        judge(&pace, readings_hz[i], 1);
    assert_true(pace.fastest_hz == 2010.2e6);
    // Then a load that keeps 1980 MHz gets no remark.
    assert_int_equal(judge(&pace, 1979.8e6, 2), PACE_KEPT);
}

static void a_few_percent_above_the_stated_clock_are_that_clock(void **state)
{
    (void)state;
    // Given an H100 that ran at 2040 MHz for a while, though its data sheet says 1980.
    struct measure_pace pace = {.stated_hz = 1980e6, .fastest_hz = 1980e6};
    double case_hz = 0;
    for (int i = 0; i < 2 * PACE_HIGHER; i++)
        assert_int_equal(judge(&pace, 2040e6, 1), PACE_KEPT);
    // When the same and another load run at 1995 and at 1980 MHz, then neither is low.
    for (uint32_t load = 1; load <= 2; load++) {
        assert_int_equal(judge(&pace, 1995e6, load), PACE_KEPT);
        assert_int_equal(judge(&pace, 1980e6, load), PACE_KEPT);
    }
    pace_begin(&pace, &case_hz);
    assert_false(pace_again(&pace, 1995e6, 0));
    // But a clock below the stated one is low.
    assert_int_equal(judge(&pace, 1930e6, 3), PACE_LOWER);
    pace_begin(&pace, &case_hz);
    assert_true(pace_again(&pace, 1930e6, 0));
}

static void a_clock_that_changes_during_the_samples_is_told(void **state)
{
    (void)state;
    struct measure_pace pace = {.fastest_hz = 1980e6};
    double kept_hz;
    const struct visit_clock clock = {.low_hz = 1755e6, .high_hz = 1980e6, .load = 1};
    assert_int_equal(pace_judge(&pace, 1980e6, &clock, &kept_hz), PACE_FELL);
    assert_int_equal(pace.load_count, 0); // the clock says nothing about the load
}

static void more_kinds_of_load_than_places_forget_the_oldest(void **state)
{
    (void)state;
    struct measure_pace pace = {.fastest_hz = 1980e6};
    judge(&pace, 1980e6, 1);
    for (uint32_t load = 2; load <= PACE_LOADS; load++)
        judge(&pace, 1980e6, load);
    judge(&pace, 1980e6, 1);
    judge(&pace, 1980e6, PACE_LOADS + 1); // takes the place of load 2
    assert_int_equal(judge(&pace, 1755e6, 1), PACE_LOW);
    assert_int_equal(judge(&pace, 1755e6, 2), PACE_LOWER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clock_is_lower_by_more_than_the_margin),
        cmocka_unit_test(a_dozing_card_is_woken),
        cmocka_unit_test(leads_that_do_not_help_end_and_are_not_tried_in_each_round),
        cmocka_unit_test(a_low_clock_is_tried_with_all_leads_again),
        cmocka_unit_test(what_the_card_limits_is_not_tried),
        cmocka_unit_test(sparse_work_gets_the_lead_that_it_needs),
        cmocka_unit_test(sparse_work_is_kept_awake_with_little_more_work_than_that_takes),
        cmocka_unit_test(without_a_clock_nothing_is_taken_again),
        cmocka_unit_test(each_kind_of_load_has_its_own_clock),
        cmocka_unit_test(a_clock_that_lasts_becomes_the_load_s_own),
        cmocka_unit_test(one_reading_that_is_too_high_makes_no_clock_low),
        cmocka_unit_test(a_higher_clock_that_several_visits_have_is_the_load_s),
        cmocka_unit_test(of_several_higher_readings_the_lowest_counts),
        cmocka_unit_test(a_few_percent_above_the_stated_clock_are_that_clock),
        cmocka_unit_test(a_clock_that_changes_during_the_samples_is_told),
        cmocka_unit_test(more_kinds_of_load_than_places_forget_the_oldest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
