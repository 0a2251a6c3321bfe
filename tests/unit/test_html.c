// SPDX-License-Identifier: MIT
// Tests what fathom does to the page: it embeds runs so that they cannot break it. What the page
// does with the runs is tested in a browser (tests/web).
#include "golden/golden.h"
#include "golden/rich_run.h"
#include "report/export.h"

#include <jansson.h>
#include <unistd.h>
#include <zlib.h>

static bool zlib_is_broken;

int __real_deflateInit_(z_streamp stream, int level, const char *version, int bytes);
int __wrap_deflateInit_(z_streamp stream, int level, const char *version, int bytes);

int __wrap_deflateInit_(z_streamp stream, int level, const char *version, int bytes)
{
    return zlib_is_broken ? Z_VERSION_ERROR : __real_deflateInit_(stream, level, version, bytes);
}

static void need_page(void)
{
    const char *reason;
    if (!html_available(&reason)) {
        print_message("skipped: no report page in this build, because %s\n", reason);
        skip();
    }
}

static char *page_of(const struct run *const *runs, size_t count)
{
    char *text = NULL;
    size_t bytes;
    struct error err = {0};
    FILE *stream = open_memstream(&text, &bytes);
    assert_true(html_write(runs, count, stream, &err));
    fclose(stream);
    return text;
}

static unsigned digit_of(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strchr(digits, c);
    assert_non_null(at);
    return (unsigned)(at - digits);
}

// Decodes base64. Returns the number of bytes.
static size_t unpack_base64(const char *text, size_t length, unsigned char *bytes)
{
    size_t count = 0;
    unsigned held = 0, bits = 0;
    for (size_t i = 0; i < length && text[i] != '='; i++) {
        held = (held << 6 | digit_of(text[i])) & 0xffffff;
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            bytes[count++] = (unsigned char)(held >> bits & 0xff);
        }
    }
    return count;
}

// Returns the JSON between the script tags; the caller releases it.
static json_t *embedded(const char *page)
{
    static const char head[] = "<script type=\"text/plain\" id=\"runs\">";
    static char json_text[8 << 20];
    const char *at = strstr(page, head);
    assert_non_null(at);
    at += strlen(head);
    const char *end = strstr(at, "</script>");
    assert_non_null(end);
    unsigned char *packed = malloc((size_t)(end - at));
    size_t packed_bytes = unpack_base64(at, (size_t)(end - at), packed);
    uLongf bytes = sizeof json_text;
    assert_int_equal(uncompress((Bytef *)json_text, &bytes, packed, packed_bytes), Z_OK);
    free(packed);
    json_t *json = json_loadb(json_text, bytes, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    return json;
}

static void runs_stand_in_the_page_as_they_are(void **state)
{
    (void)state;
    need_page();
    struct run *rich = rich_run(), *demo = golden_run(TESTS_DIR "/golden/demo.json");
    const struct run *runs[] = {rich, demo};
    char *page = page_of(runs, 2);
    json_t *json = embedded(page);
    assert_int_equal(json_array_size(json), 2);
    json_t *results = json_object_get(json_array_get(json, 1), "results");
    assert_int_equal(json_array_size(results), demo->result_count);
    json_t *metrics = json_object_get(json_array_get(results, 0), "metrics");
    json_t *median = json_object_get(json_array_get(metrics, 0), "median");
    // The number has the same bits.
    assert_true(json_real_value(median) == demo->results[0]->metrics[0].median);
    assert_null(strstr(page, "@RUNS@"));
    json_decref(json);
    free(page);
    run_destroy(rich);
    run_destroy(demo);
}

static void hostile_texts_cannot_leave_the_data(void **state)
{
    (void)state;
    need_page();
    struct run *run = rich_run();
    run->devices[0].name = "</script><script>alert(1)</script><!-- <![CDATA[ @RUNS@";
    const struct run *runs[] = {run};
    char *page = page_of(runs, 1);
    assert_null(strstr(page, "<script>alert"));
    json_t *json = embedded(page);
    json_t *device = json_array_get(json_object_get(json_array_get(json, 0), "devices"), 0);
    assert_string_equal(json_string_value(json_object_get(device, "name")), run->devices[0].name);
    json_decref(json);
    free(page);
    run_destroy(run);
}

static void the_page_loads_nothing_and_fits_into_a_mail(void **state)
{
    (void)state;
    need_page();
    struct run *demo = golden_run(TESTS_DIR "/golden/demo.json");
    const struct run *runs[] = {demo};
    char *page = page_of(runs, 1);
    assert_true(strlen(page) < 2u << 20);
    assert_non_null(strstr(page, "default-src 'none'; script-src 'sha256-"));
    assert_null(strstr(page, "<link rel=\"stylesheet\""));
    assert_null(strstr(page, " src=\"http"));
    free(page);
    run_destroy(demo);
}

static void a_zlib_that_cannot_pack_is_an_error(void **state)
{
    (void)state;
    need_page();
    char *text = NULL;
    size_t bytes;
    struct run *run = rich_run();
    const struct run *runs[] = {run};
    struct error err = {0};
    FILE *stream = open_memstream(&text, &bytes);
    zlib_is_broken = true;
    assert_false(html_write(runs, 1, stream, &err));
    zlib_is_broken = false;
    assert_non_null(strstr(err.message, "zlib cannot pack"));
    fclose(stream);
    free(text);
    run_destroy(run);
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    need_page();
    struct run *run = rich_run();
    const struct run *runs[] = {run};
    struct error err = {0};
    assert_false(html_save(runs, 1, "/dev/full", &err));
    assert_int_equal(err.code, ERROR_IO);
    run_destroy(run);
}

static void without_the_page_the_reason_is_told(void **state)
{
    (void)state;
    const char *reason;
    bool available = html_available(&reason);
    assert_int_equal(available, *reason == '\0');
    if (available)
        skip();
    struct error err = {0};
    const struct run *runs[] = {NULL};
    assert_false(html_save(runs, 0, "/dev/null", &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.message, reason));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_stand_in_the_page_as_they_are),
        cmocka_unit_test(hostile_texts_cannot_leave_the_data),
        cmocka_unit_test(the_page_loads_nothing_and_fits_into_a_mail),
        cmocka_unit_test(a_zlib_that_cannot_pack_is_an_error),
        cmocka_unit_test(a_full_disk_is_an_error),
        cmocka_unit_test(without_the_page_the_reason_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
