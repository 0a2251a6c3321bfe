// SPDX-License-Identifier: MIT
// Batches: order, repetition, spans.
#include "conformance.h"

#include <string.h>

enum {
    COUNT = 16 * 1024,
    BYTES = COUNT * 4
};

static void record_ids(struct conformance *t, struct gpu_batch *batch, struct gpu_buffer *words,
                       uint32_t factor)
{
    gpu_batch_dispatch(batch, &(struct gpu_dispatch){.program = make_program(t, "conf_ids"),
                                                     .groups = {groups_of_64(COUNT)},
                                                     .args = {{.buffer = words}},
                                                     .params = (uint32_t[]){COUNT, factor, 0},
                                                     .params_bytes = 12});
}

static void record_reverse(struct gpu_program *program, struct gpu_batch *batch,
                           struct gpu_buffer *from, struct gpu_buffer *to)
{
    gpu_batch_dispatch(batch, &(struct gpu_dispatch){.program = program,
                                                     .groups = {groups_of_64(COUNT)},
                                                     .args = {{.buffer = from}, {.buffer = to}},
                                                     .params = (uint32_t[]){COUNT},
                                                     .params_bytes = 4});
}

// The value of words[i] after `passes` passes of conf_reverse; before them it was i · factor.
static uint32_t reversed(uint32_t i, uint32_t factor, unsigned passes)
{
    uint32_t value = (passes % 2 ? COUNT - 1 - i : i) * factor;
    for (unsigned pass = 0; pass < passes; pass++)
        value = value * 3 + 1;
    return value;
}

static void assert_reversed(struct conformance *t, struct gpu_buffer *words, uint32_t factor,
                            unsigned passes)
{
    uint32_t *seen = read_words(t, words, 0, COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(seen[i], reversed(i, factor, passes));
}

static void an_ordered_batch_runs_one_command_after_another(void **state)
{
    struct conformance *t = *state;
    enum {
        PASSES = 200
    };
    struct gpu_program *reverse = make_program(t, "conf_reverse");
    struct gpu_buffer *a = make_filled(t, COUNT, 0), *b = make_filled(t, COUNT, 0);
    struct gpu_batch *batch = make_batch(t, NULL);
    record_ids(t, batch, a, 7);
    for (unsigned pass = 0; pass < PASSES; pass++)
        record_reverse(reverse, batch, pass % 2 ? b : a, pass % 2 ? a : b);
    end_and_run(batch);
    assert_reversed(t, a, 7, PASSES);
}

static void copies_and_fills_are_ordered_with_kernels(void **state)
{
    struct conformance *t = *state;
    struct gpu_program *reverse = make_program(t, "conf_reverse");
    struct gpu_buffer *a = make_filled(t, COUNT, 0), *b = make_filled(t, COUNT, 0);
    struct gpu_buffer *c = make_filled(t, COUNT, 0);
    struct gpu_batch *batch = make_batch(t, NULL);
    record_ids(t, batch, a, 1);
    gpu_batch_copy(batch, b, 0, a, 0, BYTES);     // kernel → copy
    gpu_batch_fill(batch, a, 0, BYTES, 99);       // copy → fill
    record_reverse(reverse, batch, b, c);         // copy → kernel
    gpu_batch_copy(batch, b, 0, a, 0, BYTES);     // fill → copy
    gpu_batch_copy(batch, a, 4, c, 0, BYTES - 4); // kernel → copy
    end_and_run(batch);
    uint32_t *seen = read_words(t, a, 0, COUNT);
    assert_int_equal(seen[0], 99);
    for (uint32_t i = 1; i < COUNT; i++)
        assert_int_equal(seen[i], reversed(i - 1, 1, 1));
    assert_int_equal(read_word(b, BYTES - 4), 99);
}

static void batches_of_one_queue_are_ordered(void **state)
{
    struct conformance *t = *state;
    enum {
        BATCHES = 8
    };
    struct gpu_program *reverse = make_program(t, "conf_reverse");
    struct gpu_buffer *a = make_filled(t, COUNT, 0), *b = make_filled(t, COUNT, 0);
    struct gpu_batch *batches[BATCHES];
    struct error err = {0};
    for (unsigned i = 0; i < BATCHES; i++) {
        batches[i] = make_batch(t, NULL);
        if (i == 0)
            record_ids(t, batches[i], a, 5);
        record_reverse(reverse, batches[i], i % 2 ? b : a, i % 2 ? a : b);
        end_batch(batches[i]);
    }
    for (unsigned i = 0; i < BATCHES; i++)
        assert_done(gpu_batch_submit(batches[i], NULL, &err), &err);
    for (unsigned i = BATCHES; i-- > 0;)
        assert_done(gpu_batch_wait(batches[i], WAIT_NS, &err), &err);
    assert_reversed(t, a, 5, BATCHES);
}

static void an_unordered_batch_is_ordered_by_its_barriers(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(UNORDERED));
    enum {
        LANES = 4,
        PASSES = 10
    };
    struct gpu_program *reverse = make_program(t, "conf_reverse");
    struct gpu_buffer *buffers[LANES][2];
    struct gpu_batch *batch = make_batch(t, &(struct gpu_batch_desc){.unordered = true});
    for (unsigned lane = 0; lane < LANES; lane++) {
        buffers[lane][0] = make_filled(t, COUNT, 0);
        buffers[lane][1] = make_filled(t, COUNT, 0);
        record_ids(t, batch, buffers[lane][0], lane + 2);
    }
    for (unsigned pass = 0; pass < PASSES; pass++) {
        gpu_batch_barrier(batch, GPU_BARRIER_MEMORY);
        for (unsigned lane = 0; lane < LANES; lane++) // these may overlap
            record_reverse(reverse, batch, buffers[lane][pass % 2], buffers[lane][!(pass % 2)]);
    }
    gpu_batch_barrier(batch, GPU_BARRIER_EXECUTION);
    end_and_run(batch);
    for (unsigned lane = 0; lane < LANES; lane++)
        assert_reversed(t, buffers[lane][0], lane + 2, PASSES);
}

static void a_split_barrier_orders_what_stands_around_it(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(UNORDERED) | GPU_CAP(SPLITS));
    enum {
        PASSES = 10,
        RUNS = 3
    };
    struct error err;
    struct gpu_program *reverse = make_program(t, "conf_reverse");
    struct gpu_buffer *buffers[2] = {make_filled(t, COUNT, 0), make_filled(t, COUNT, 0)};
    struct gpu_buffer *other = make_filled(t, COUNT, 0);
    struct gpu_batch *batch =
        make_batch(t, &(struct gpu_batch_desc){.unordered = true, .split_count = PASSES});
    record_ids(t, batch, buffers[0], 5);
    for (unsigned pass = 0; pass < PASSES; pass++) {
        gpu_batch_split_set(batch, pass);
        if (pass == 0)
            record_ids(t, batch, other, 7); // the split does not order this
        gpu_batch_split_wait(batch, pass);
        record_reverse(reverse, batch, buffers[pass % 2], buffers[!(pass % 2)]);
    }
    end_and_run(batch);
    for (unsigned run = 1; run < RUNS; run++) // each run uses the same splits again
        assert_done(gpu_batch_run(batch, WAIT_NS, &err), &err);
    assert_reversed(t, buffers[0], 5, PASSES);
    assert_reversed(t, other, 7, 0);
}

static void a_split_that_is_not_set_or_not_there_is_an_error(void **state)
{
    struct conformance *t = *state;
    struct error err;
    need(t, GPU_CAP(SPLITS));
    struct gpu_batch *unset = make_batch(t, &(struct gpu_batch_desc){.split_count = 1});
    gpu_batch_split_wait(unset, 0);
    assert_false(gpu_batch_end(unset, &err));
    assert_non_null(strstr(err.message, "but was not set"));
    struct gpu_batch *few = make_batch(t, &(struct gpu_batch_desc){.split_count = 1});
    gpu_batch_split_set(few, 1);
    assert_false(gpu_batch_end(few, &err));
    assert_int_equal(err.code, ERROR_INTERNAL);
}

static void a_barrier_of_one_buffer_shows_what_was_written_to_it(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(UNORDERED));
    struct gpu_program *reverse = make_program(t, "conf_reverse");
    struct gpu_buffer *from = make_filled(t, COUNT, 0), *to = make_filled(t, COUNT, 0);
    struct gpu_batch *batch = make_batch(t, &(struct gpu_batch_desc){.unordered = true});
    record_ids(t, batch, from, 3);
    gpu_batch_barrier_buffer(batch, from);
    record_reverse(reverse, batch, from, to);
    gpu_batch_barrier(batch, GPU_BARRIER_FULL);
    record_reverse(reverse, batch, to, from);
    end_and_run(batch);
    assert_reversed(t, from, 3, 2);
}

static void a_batch_is_submitted_many_times(void **state)
{
    struct conformance *t = *state;
    struct gpu_program *reverse = make_program(t, "conf_reverse");
    struct gpu_buffer *a = make_filled(t, COUNT, 0), *b = make_filled(t, COUNT, 0);
    struct gpu_batch *first = make_batch(t, NULL), *batch = make_batch(t, NULL);
    record_ids(t, first, a, 3);
    end_and_run(first);
    record_reverse(reverse, batch, a, b);
    record_reverse(reverse, batch, b, a);
    end_batch(batch);
    for (unsigned i = 0; i < 20; i++)
        run_batch(batch);
    assert_reversed(t, a, 3, 40);
}

static void a_batch_is_recorded_anew(void **state)
{
    struct conformance *t = *state;
    struct error err = {0};
    struct gpu_buffer *words = make_filled(t, COUNT, 0);
    struct gpu_batch *batch = make_batch(t, NULL);
    for (uint32_t factor = 1; factor <= 50; factor++) {
        record_ids(t, batch, words, factor);
        end_and_run(batch);
        assert_int_equal(read_word(words, 4000), 1000 * factor);
        assert_done(gpu_batch_reset(batch, &err), &err);
    }
    end_and_run(batch); // an empty batch is legal
}

// One batch with many different arguments: a backend's pools must grow.
static void a_batch_takes_thousands_of_commands(void **state)
{
    struct conformance *t = *state;
    enum {
        COMMANDS = 3000,
        SLOT_WORDS = 128, // 512 bytes: the widest alignment of storage ranges seen (NVIDIA, OpenCL)
        SLOT_BYTES = 4 * SLOT_WORDS,
        WORDS = COMMANDS * SLOT_WORDS
    };
    struct gpu_program *program = make_program(t, "conf_ids");
    struct gpu_buffer *words = make_filled(t, WORDS, 0);
    struct gpu_batch *batch = make_batch(t, NULL);
    for (uint32_t i = 0; i < COMMANDS; i++)
        gpu_batch_dispatch(
            batch, &(struct gpu_dispatch){.program = program,
                                          .groups = {groups_of_64(SLOT_WORDS)},
                                          .args = {{.buffer = words,
                                                    .offset = (uint64_t)i * SLOT_BYTES,
                                                    .bytes = SLOT_BYTES}},
                                          .params = (uint32_t[]){SLOT_WORDS, 1, i * SLOT_WORDS},
                                          .params_bytes = 12});
    end_and_run(batch);
    uint32_t *seen = read_words(t, words, 0, WORDS);
    for (uint32_t i = 0; i < WORDS; i++)
        assert_int_equal(seen[i], i);
}

// ---------------------------------------------------------------- spans

static void record_spin(struct conformance *t, struct gpu_batch *batch, struct gpu_buffer *words,
                        uint32_t rounds)
{
    gpu_batch_dispatch(
        batch, &(struct gpu_dispatch){.program = make_program(t, "conf_spin"),
                                      .groups = {1}, // one core: other programs may use the rest
                                      .args = {{.buffer = words}},
                                      .params = &rounds,
                                      .params_bytes = 4});
}

static double span_ns(struct gpu_batch *batch, unsigned span)
{
    struct error err = {0};
    double ns = -1;
    assert_done(gpu_batch_span_ns(batch, span, &ns, &err), &err);
    assert_true(ns >= 0);
    return ns;
}

// Returns a number of rounds of conf_spin that takes more than 2 ms.
static uint32_t rounds_of_2_ms(struct conformance *t, struct gpu_buffer *words)
{
    struct gpu_batch *batch = make_batch(t, &(struct gpu_batch_desc){.span_count = 1});
    for (uint32_t rounds = 16; rounds < 1u << 24; rounds *= 2) {
        struct error err = {0};
        gpu_batch_span_begin(batch, 0);
        record_spin(t, batch, words, rounds);
        gpu_batch_span_end(batch, 0);
        end_batch(batch);
        double shortest = 1e18; // the first run may include compilation
        for (unsigned run = 0; run < 3; run++) {
            run_batch(batch);
            shortest = span_ns(batch, 0) < shortest ? span_ns(batch, 0) : shortest;
        }
        if (shortest > 2e6)
            return rounds;
        assert_done(gpu_batch_reset(batch, &err), &err);
    }
    fail_msg("the spans of longer and longer kernels do not grow");
    return 0;
}

enum {
    SPANS = 4
};

static bool doubles(const double *ns)
{
    for (unsigned i = 1; i < SPANS; i++)
        if (ns[i] < 1.5 * ns[i - 1] || ns[i] > 2.7 * ns[i - 1])
            return false;
    return true;
}

// Runs a batch with spans of 1, 2, 4 and 8 times `rounds`, at most 30 times. Ends when the shortest
// times double from span to span: other programs can only make a span longer.
static void time_spans(struct conformance *t, struct gpu_buffer *words, uint32_t rounds,
                       double best[SPANS])
{
    struct gpu_batch *batch = make_batch(t, &(struct gpu_batch_desc){.span_count = SPANS});
    for (unsigned span = 0; span < SPANS; span++) {
        best[span] = 1e18;
        gpu_batch_span_begin(batch, span);
        record_spin(t, batch, words, rounds << span);
        gpu_batch_span_end(batch, span);
        record_spin(t, batch, words, rounds); // belongs to no span
    }
    end_batch(batch);
    for (unsigned run = 0; run < 30 && !doubles(best); run++) {
        uint64_t begin_ns = now_ns();
        run_batch(batch);
        double host_ns = (double)(now_ns() - begin_ns), sum_ns = 0;
        for (unsigned span = 0; span < SPANS; span++) {
            double ns = span_ns(batch, span);
            sum_ns += ns;
            if (ns < best[span])
                best[span] = ns;
        }
        assert_true(sum_ns <= host_ns * 1.01); // 1 %: they are two clocks
    }
}

// The time of very short work is mostly start-up and does not double. Nor does that of very long
// work if a busy machine interrupts it. The time of one length between must double.
static void spans_grow_with_the_work_and_fit_into_the_host_time(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(STAMPS_INSIDE));
    struct gpu_buffer *words = make_filled(t, 256, 1);
    double best[SPANS] = {0};
    for (uint32_t rounds = 16; rounds < 1u << 20 && best[0] < 4e6; rounds *= 2) {
        time_spans(t, words, rounds, best);
        if (doubles(best))
            return;
    }
    fail_msg("1, 2, 4, 8 times the work took %.0f, %.0f, %.0f, %.0f ns", best[0], best[1], best[2],
             best[3]);
}

static void an_empty_span_is_short(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(STAMPS_INSIDE));
    struct gpu_buffer *words = make_filled(t, 256, 1);
    struct gpu_batch *batch = make_batch(t, &(struct gpu_batch_desc){.span_count = 1});
    uint32_t rounds = rounds_of_2_ms(t, words);
    record_spin(t, batch, words, rounds); // must end before the span begins
    gpu_batch_span_begin(batch, 0);
    gpu_batch_span_end(batch, 0);
    record_spin(t, batch, words, rounds); // must begin after the span ends
    end_batch(batch);
    double best = 1e18;
    for (unsigned run = 0; run < 30 && best >= 1e6; run++) {
        run_batch(batch);
        double ns = span_ns(batch, 0);
        if (ns < best)
            best = ns;
    }
    assert_true(best < 1e6);
}

static void unordered_spans_wait_for_what_came_before(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(STAMPS_INSIDE) | GPU_CAP(UNORDERED));
    struct gpu_buffer *words = make_filled(t, 256, 1), *others = make_filled(t, 256, 1);
    uint32_t rounds = rounds_of_2_ms(t, words);
    struct gpu_batch *batch =
        make_batch(t, &(struct gpu_batch_desc){.span_count = 2, .unordered = true});
    record_spin(t, batch, words, 8 * rounds);
    gpu_batch_span_begin(batch, 0); // begins when the long kernel ends
    record_spin(t, batch, others, rounds);
    gpu_batch_span_end(batch, 0);
    gpu_batch_span_begin(batch, 1);
    record_spin(t, batch, words, 8 * rounds); // ends when the kernel ends
    gpu_batch_span_end(batch, 1);
    end_batch(batch);
    double shorter = 1e18, longer = 1e18;
    for (unsigned run = 0; run < 30 && !(2 * shorter < longer && run > 2); run++) {
        run_batch(batch);
        shorter = span_ns(batch, 0) < shorter ? span_ns(batch, 0) : shorter;
        longer = span_ns(batch, 1) < longer ? span_ns(batch, 1) : longer;
    }
    assert_true(2 * shorter < longer);
}

// The kernel after the span writes what the span reads, so it must not begin before the span ends.
// If a device runs all commands in order anyway, only the Vulkan layer's synchronisation validation
// shows an error (tests/vulkan).
static void unordered_spans_hold_back_what_follows(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(STAMPS_INSIDE) | GPU_CAP(UNORDERED));
    struct gpu_buffer *from = make_filled(t, COUNT, 5), *to = make_filled(t, COUNT, 0);
    struct gpu_batch *batch =
        make_batch(t, &(struct gpu_batch_desc){.span_count = 1, .unordered = true});
    gpu_batch_span_begin(batch, 0);
    record_reverse(make_program(t, "conf_reverse"), batch, from, to);
    gpu_batch_span_end(batch, 0);
    record_ids(t, batch, from, 1);
    end_and_run(batch);
    uint32_t *seen = read_words(t, to, 0, COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(seen[i], 3 * 5 + 1);
    assert_int_equal(read_word(from, BYTES - 4), COUNT - 1);
}

static const struct CMUnitTest tests[] = {
    CONFORMANCE_TEST(an_ordered_batch_runs_one_command_after_another),
    CONFORMANCE_TEST(copies_and_fills_are_ordered_with_kernels),
    CONFORMANCE_TEST(batches_of_one_queue_are_ordered),
    CONFORMANCE_TEST(an_unordered_batch_is_ordered_by_its_barriers),
    CONFORMANCE_TEST(a_split_barrier_orders_what_stands_around_it),
    CONFORMANCE_TEST(a_split_that_is_not_set_or_not_there_is_an_error),
    CONFORMANCE_TEST(a_barrier_of_one_buffer_shows_what_was_written_to_it),
    CONFORMANCE_TEST(a_batch_is_submitted_many_times),
    CONFORMANCE_TEST(a_batch_is_recorded_anew),
    CONFORMANCE_TEST(a_batch_takes_thousands_of_commands),
    CONFORMANCE_TEST(spans_grow_with_the_work_and_fit_into_the_host_time),
    CONFORMANCE_TEST(an_empty_span_is_short),
    CONFORMANCE_TEST(unordered_spans_wait_for_what_came_before),
    CONFORMANCE_TEST(unordered_spans_hold_back_what_follows),
};
const struct suite batch_suite = CONFORMANCE_SUITE("batches", tests);
