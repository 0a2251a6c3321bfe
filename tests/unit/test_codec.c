// SPDX-License-Identifier: MIT
// Tests how the JSON codec fails: without memory, with a stream that refuses data, with names that
// are not UTF-8.
#define _GNU_SOURCE // fopencookie
#include "golden/rich_run.h"
#include "report/export.h"
#include "results/codec.h"
#include "results/json.h"
#include "suite/protocol.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// ---------------------------------------------------------------- memory that ends, writing

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes); // replaces malloc in all of fathom (--wrap of the linker)

static size_t requests;
static size_t request_refused; // number of the request that fails; the first is 1; 0: none fails

void *__wrap_malloc(size_t bytes)
{
    return ++requests == request_refused ? NULL : __real_malloc(bytes);
}

static void refuse_request(size_t number)
{
    requests = 0;
    request_refused = number;
}

static void *refuse_all(size_t bytes)
{
    (void)bytes;
    return NULL;
}

// Compares what is written while jansson gets no memory with what is written otherwise.
static void is_written_without_jansson(char *(*write)(size_t *bytes))
{
    size_t bytes, bytes_without;
    char *text = write(&bytes);
    json_set_alloc_funcs(refuse_all, free);
    char *without = write(&bytes_without);
    json_set_alloc_funcs(malloc, free);
    assert_int_equal(bytes, bytes_without);
    assert_memory_equal(text, without, bytes);
    free(text);
    free(without);
}

static char *write_run(size_t *bytes)
{
    char *text = NULL;
    struct error err;
    struct run *run = rich_run();
    FILE *stream = open_memstream(&text, bytes);
    assert_true(run_write(run, stream, &err));
    fclose(stream);
    run_destroy(run);
    return text;
}

static char *write_page(size_t *bytes)
{
    char *text = NULL;
    struct error err;
    struct run *run = rich_run();
    const struct run *const runs[] = {run};
    FILE *stream = open_memstream(&text, bytes);
    assert_true(html_write(runs, 1, stream, &err));
    fclose(stream);
    run_destroy(run);
    return text;
}

static const char *visit_line(struct arena *arena)
{
    struct measure_visit *visit = measure_visit_create(arena);
    visit_samples(visit, 0, (const double[]){0.1, 1.0 / 3, 1e300}, 3, 0.5);
    visit_flag(visit, "slow", "a reason that is longer than the first buffer of jansson");
    visit_detail(visit, "shape", "grid 20000 × 1024");
    visit_sensor(visit, "core_clock", UNIT_HZ, 1.98e9);
    visit->kernel.hash = "0123456789abcdef0123456789abcdef";
    return protocol_write_visit(arena, visit);
}

static char *write_visit(size_t *bytes)
{
    struct arena *arena = arena_create();
    char *line = strdup(visit_line(arena));
    *bytes = strlen(line);
    arena_destroy(arena);
    return line;
}

static void writing_needs_nothing_of_jansson(void **state)
{
    (void)state;
    const char *reason;
    is_written_without_jansson(write_run);
    is_written_without_jansson(write_visit);
    if (html_available(&reason))
        is_written_without_jansson(write_page);
}

// ---------------------------------------------------------------- memory that ends, reading

// Reads a run or, with `info`, a worker's answer. True if it was accepted.
static bool is_read(const char *text, const struct benchmark_info *info)
{
    struct error err = {0};
    struct arena *arena = arena_create();
    struct measure_visit *visit = NULL;
    struct run *run = info ? NULL : run_read_text(text, strlen(text), "FILE", &err);
    bool read = info ? protocol_read_answer(arena, text, info, &visit, &err) == PROTOCOL_VISIT
                     : run != NULL;
    run_destroy(run);
    arena_destroy(arena);
    return read;
}

// Reads in another process, in which request number `refused` for memory fails. That process must
// end at once, with the message of an arena without memory.
static void reading_ends_the_process(const char *text, const struct benchmark_info *info,
                                     size_t refused)
{
    int ends[2];
    char message[256] = "";
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        refuse_request(refused);
        _exit(is_read(text, info));
    }
    close(ends[1]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(read(ends[0], message, sizeof message - 1) > 0);
    close(ends[0]);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == ARENA_EXIT_STATUS);
    assert_int_equal(strncmp(message, "fathom: out of host memory", 26), 0);
}

static void is_read_whole_or_not_at_all(const char *text, const struct benchmark_info *info)
{
    refuse_request(0);
    assert_true(is_read(text, info));
    size_t count = requests;
    assert_true(count > 50);
    for (size_t n = 1; n <= count; n++)
        reading_ends_the_process(text, info, n);
}

static void a_run_is_never_read_in_part(void **state)
{
    (void)state;
    size_t bytes;
    char *text = write_run(&bytes);
    is_read_whole_or_not_at_all(text, NULL);
    free(text);
}

static void a_message_is_never_read_in_part(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    const struct benchmark_info info = {.name = "any", .metric_count = 1};
    is_read_whole_or_not_at_all(visit_line(arena), &info);
    arena_destroy(arena);
}

static void a_save_without_memory_leaves_the_former_file(void **state)
{
    (void)state;
    char folder[] = "/tmp/fathom-codec-XXXXXX", path[64], text[16] = "", command[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/run.json", folder);
    snprintf(command, sizeof command, "rm -r %s", folder);
    FILE *former = fopen(path, "w");
    fputs("former", former);
    fclose(former);
    struct run *run = rich_run();
    size_t refused = 0;
    int status = ARENA_EXIT_STATUS;
    while (status != 0) { // until a save needs fewer than `refused` requests
        pid_t child = fork();
        refused++;
        if (child == 0) {
            fclose(stderr);
            struct error err;
            refuse_request(refused);
            _exit(!run_save(run, path, &err));
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        former = fopen(path, "r");
        assert_non_null(fgets(text, sizeof text, former));
        assert_true(status == 0 || (WIFEXITED(status) && WEXITSTATUS(status) == ARENA_EXIT_STATUS));
        assert_int_equal(status != 0, strcmp(text, "former") == 0);
        fclose(former);
    }
    assert_true(refused > 3);
    run_destroy(run);
    assert_int_equal(system(command), 0);
}

// ---------------------------------------------------------------- streams that refuse

static ssize_t write_nothing(void *number, const char *text, size_t bytes)
{
    (void)text, (void)bytes;
    errno = *(int *)number;
    return 0;
}

// Writes a run to a stream whose writes fail with the errno `number`, and expects this message.
static void run_is_refused(int number, const char *message)
{
    struct error err = {0};
    struct run *run = rich_run();
    FILE *stream = fopencookie(&number, "w", (cookie_io_functions_t){.write = write_nothing});
    assert_false(run_write(run, stream, &err));
    assert_int_equal(err.code, ERROR_IO);
    assert_string_equal(err.message, message);
    fclose(stream);
    run_destroy(run);
}

static void a_stream_that_refuses_is_an_error(void **state)
{
    (void)state;
    run_is_refused(ENOSPC, "cannot write the run: No space left on device");
    run_is_refused(ENOMEM, "out of memory while writing the run");
}

static void a_memory_stream_that_is_full_is_an_error(void **state)
{
    (void)state;
    char small[100];
    struct error err = {0};
    struct run *run = rich_run();
    FILE *stream = fmemopen(small, sizeof small, "w");
    assert_false(run_write(run, stream, &err));
    assert_int_equal(err.code, ERROR_IO);
    fclose(stream);
    run_destroy(run);
}

// ---------------------------------------------------------------- texts and names

static void only_bytes_that_are_no_character_are_replaced(void **state)
{
    (void)state;
    static const struct {
        const char *text, *written;
    } cases[] = {
        {"a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
        {"\x80", "\xef\xbf\xbd"},
        {"\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd"},                                 // overlong
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},                 // a surrogate
        {"\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, // beyond U+10FFFF
        {"\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd"},                                 // cut short
        {"\"\\\n\x01\x7f", "\\\"\\\\\\n\\u0001\x7f"},
    };
    struct arena *arena = arena_create();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct json_out out = {.arena = arena};
        json_put_text(&out, NULL, cases[i].text);
        assert_string_equal(json_out_text(&out), arena_printf(arena, "\"%s\"", cases[i].written));
    }
    arena_destroy(arena);
}

// A member that appears twice would make the file unreadable.
static void a_name_stands_once_and_has_its_last_value(void **state)
{
    (void)state;
    struct named_text details[] = {{"a\xff", "1"}, {"b", "2"}, {"a\xfe", "3"}};
    struct run *run = rich_run();
    struct error err = {0};
    char *text = NULL;
    size_t bytes;
    run->results[0]->details = details;
    run->results[0]->detail_count = 3;
    FILE *stream = open_memstream(&text, &bytes);
    assert_true(run_write(run, stream, &err));
    fclose(stream);
    assert_non_null(strstr(text, "\"details\":{\"a\xef\xbf\xbd\":\"3\",\"b\":\"2\"}"));
    free(text);
    run_destroy(run);
}

// ---------------------------------------------------------------- rows of a long array

// Returns what json_rows_next makes of the only row; NULL if it refuses the row.
static json_t *row_of(const char *row)
{
    struct arena *arena = arena_create();
    const char *text = arena_printf(arena, "{\"rows\": [%s], \"more\": 1}", row);
    struct json_rows rows;
    json_t *rest = json_read_rows(text, strlen(text), "rows", &rows);
    json_t *json = rest ? json_rows_next(&rows) : NULL;
    if (json && (rows.failed || rows.at != rows.end)) {
        json_decref(json);
        json = NULL;
    }
    json_decref(rest);
    arena_destroy(arena);
    return json;
}

static void a_row_is_what_jansson_reads(void **state)
{
    (void)state;
    static const char *const rows[] = {
        // Numbers, and what is no number.
        "0", "-0", "7", "-12.5e-3", "1E+05", "1e5", "0.1", "9007199254740993", "5e-324",
        "999999999999999999", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
        "0.1000000000000000055511151231257827021181583404541015625", "01", "-", "1.", ".5", "+1",
        "1e", "1e+", "1e999", "1.5.2", "1-2", "1 2", "0x10", "NaN", "-Infinity",
        // Texts.
        "\"\"", "\"plain \x7f text\"", "\"\\u00e9\\n\\\"\\\\\"", "\"\xc3\xa9\"", "\"\xff\"",
        "\"\\ud800\"", "\"\\x\"", "\"a\tb\"", "\"a\t\"", "\"open", "\"a\\\\\"", "\"a\\\\\\\"\"",
        // Words.
        "true", "false", "null", "tru", "truely", "True",
        // Arrays and objects.
        "[]", "[ 1 , 2\n,\t\"a\", null ]", "[1,]", "[,1]", "[1 2]", "[[1],[2,[3]]]", "[1}", "[\f1]",
        "{}", "{ \"a\" : 1 , \"b\":{\"c\":[true]} }", "{\"a\":1,}", "{\"a\" 1}", "{\"a\":}",
        "{a:1}", "{\"a\":1,\"a\":2}", "{\"a\\u0062\":1,\"ab\":2}", "{\"\":0}",
        "{\"a name of more than sixty-four letters, which stands in no run of fathom\":[1.25]}",
        "[[[[[[[[[[[[[[[[[[[[{\"deep\":1}]]]]]]]]]]]]]]]]]]]]"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        json_t *row = row_of(rows[i]);
        json_t *wanted = json_loads(rows[i], JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
        if (row ? !json_equal(row, wanted) : !!wanted)
            fail_msg("%s", rows[i]);
        json_decref(row);
        json_decref(wanted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writing_needs_nothing_of_jansson),
        cmocka_unit_test(a_run_is_never_read_in_part),
        cmocka_unit_test(a_message_is_never_read_in_part),
        cmocka_unit_test(a_save_without_memory_leaves_the_former_file),
        cmocka_unit_test(a_stream_that_refuses_is_an_error),
        cmocka_unit_test(a_memory_stream_that_is_full_is_an_error),
        cmocka_unit_test(only_bytes_that_are_no_character_are_replaced),
        cmocka_unit_test(a_name_stands_once_and_has_its_last_value),
        cmocka_unit_test(a_row_is_what_jansson_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
