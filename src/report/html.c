// SPDX-License-Identifier: MIT
#include "report/export.h"
#include "results/codec.h"
#include "results/json.h"
#include "results/save.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

// The page as cmake/Web.cmake puts it into the program: HTML, not NUL-terminated. The runs are
// written in place of the page's marker. The page has 0 bytes if it could not be built.
extern const char report_page[];
extern const uint64_t report_page_bytes;

// Why the page could not be built: one line without a full stop; "" if it was built.
extern const char report_page_reason[];

static const char marker[] = "@RUNS@";

bool html_available(const char **reason)
{
    *reason = report_page_reason;
    return report_page_bytes > 0;
}

// The marker in the page; NULL if there is no page (build.mjs checks that a page has one marker).
static const char *find_marker(void)
{
    const char *end = report_page + report_page_bytes;
    const char *at = memchr(report_page, marker[0], report_page_bytes);
    while (at && (size_t)(end - at) >= strlen(marker)) {
        if (memcmp(at, marker, strlen(marker)) == 0)
            return at;
        at = memchr(at + 1, marker[0], (size_t)(end - at - 1));
    }
    return NULL;
}

static bool no_page(struct error *err)
{
    return error_set(err, ERROR_UNSUPPORTED, "the report page is not in this build, because %s",
                     report_page_reason);
}

// ---------------------------------------------------------------- runs as data

// A copy of the run for the page: without the medians of single rounds, which no chart shows and
// which are two fifths of a packed run. It is valid as long as `arena` and the run live.
static struct run page_run(struct arena *arena, const struct run *run)
{
    struct run page = *run;
    page.results = ARENA_ARRAY(arena, run->result_count, struct result *);
    for (size_t i = 0; i < run->result_count; i++) {
        struct result *result = ARENA_ARRAY(arena, 1, struct result);
        *result = *run->results[i];
        result->metrics = ARENA_ARRAY(arena, result->metric_count, struct metric);
        for (size_t k = 0; k < result->metric_count; k++) {
            result->metrics[k] = run->results[i]->metrics[k];
            result->metrics[k].round_count = 0;
        }
        page.results[i] = result;
    }
    return page;
}

// Returns all runs as a JSON array in `arena`, and its length in *bytes.
static const char *join_runs(struct arena *arena, const struct run *const *runs, size_t count,
                             size_t *bytes)
{
    struct json_out out = {.arena = arena};
    json_put_open(&out, NULL, '[');
    for (size_t i = 0; i < count; i++) {
        struct run page = page_run(arena, runs[i]);
        run_put(&out, &page);
    }
    json_put_close(&out, ']');
    *bytes = out.used;
    return json_out_text(&out);
}

static void put_base64(const unsigned char *bytes, size_t count, FILE *stream)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        size_t rest = count - i;
        uint32_t group = (uint32_t)bytes[i] << 16 | (uint32_t)(rest > 1 ? bytes[i + 1] : 0) << 8 |
                         (rest > 2 ? bytes[i + 2] : 0);
        fputc(digits[group >> 18], stream);
        fputc(digits[group >> 12 & 63], stream);
        fputc(rest > 1 ? digits[group >> 6 & 63] : '=', stream);
        fputc(rest > 2 ? digits[group & 63] : '=', stream);
    }
}

// Writes the runs packed: run files are repetitive, so packing leaves a tenth, and base64 cannot
// end the <script> element, whatever text a run has.
static bool put_packed(const struct run *const *runs, size_t count, FILE *stream, struct error *err)
{
    struct arena *arena = arena_create();
    size_t bytes;
    const char *text = join_runs(arena, runs, count, &bytes);
    uLongf packed_bytes = compressBound((uLong)bytes);
    unsigned char *packed = ARENA_ARRAY(arena, packed_bytes, unsigned char);
    int status = compress2(packed, &packed_bytes, (const unsigned char *)text, (uLong)bytes,
                           Z_BEST_COMPRESSION);
    if (status == Z_OK)
        put_base64(packed, packed_bytes, stream);
    arena_destroy(arena);
    return status == Z_OK ||
           error_set(err, ERROR_IO, "out of memory while writing the report (%s)", zError(status));
}

bool html_write(const struct run *const *runs, size_t count, FILE *stream, struct error *err)
{
    const char *at = find_marker();
    if (!at)
        return no_page(err);
    fwrite(report_page, 1, (size_t)(at - report_page), stream);
    if (!put_packed(runs, count, stream, err))
        return false;
    at += strlen(marker);
    fwrite(at, 1, (size_t)(report_page + report_page_bytes - at), stream);
    errno = EIO;
    if (fflush(stream) != 0 || ferror(stream))
        return error_set(err, ERROR_IO, "cannot write the report: %s", strerror(errno));
    return true;
}

struct report {
    const struct run *const *runs;
    size_t count;
};

static bool write_report(void *context, FILE *stream, struct error *err)
{
    const struct report *report = context;
    return html_write(report->runs, report->count, stream, err);
}

bool html_save(const struct run *const *runs, size_t count, const char *path, struct error *err)
{
    struct report report = {.runs = runs, .count = count};
    if (!report_page_bytes)
        return no_page(err);
    return file_save(path, write_report, &report, err);
}
