// SPDX-License-Identifier: MIT
#include "report/html.h"
#include "report/page.h"
#include "results/json.h"
#include "results/save.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const char marker[] = "@RUNS@";

bool html_available(const char **reason)
{
    *reason = report_page_reason;
    return report_page_bytes > 0;
}

// Where the runs go; NULL where there is no page (build.mjs has made sure of one marker otherwise).
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

// What no chart shows: the medians of single rounds, two fifths of a packed run.
static void drop_rounds(json_t *run)
{
    size_t i = 0, k = 0;
    json_t *result = NULL, *metric = NULL;
    json_array_foreach(json_object_get(run, "results"), i, result)
        json_array_foreach(json_object_get(result, "metrics"), k, metric)
            json_object_del(metric, "rounds");
}

// The run as the page has it; NULL with the error. The caller gives it back.
static json_t *page_run(const struct run *run, struct error *err)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    if (!memory) {
        error_set(err, ERROR_INTERNAL, "no memory for the report: %s", strerror(errno));
        return NULL;
    }
    bool written = run_write(run, memory, err);
    if (fclose(memory) != 0 && written)
        written = error_set(err, ERROR_INTERNAL, "no memory for the report: %s", strerror(errno));
    json_error_t why = {0};
    json_t *page = written ? json_loadb(text, bytes, JSON_ALLOW_NUL, &why) : NULL;
    free(text);
    if (page)
        drop_rounds(page);
    else if (written)
        error_set(err, ERROR_INTERNAL, "the report's own run cannot be read: %s", why.text);
    return page;
}

// The JSON of all runs: an array; the caller frees it. NULL with the error.
static char *join_runs(const struct run *const *runs, size_t count, size_t *bytes,
                       struct error *err)
{
    json_t *all = json_array();
    for (size_t i = 0; i < count; i++) {
        json_t *run = page_run(runs[i], err);
        if (!run) {
            json_decref(all);
            return NULL;
        }
        json_array_append_new(all, run);
    }
    char *text = json_dumps(all, JSON_COMPACT);
    json_decref(all);
    if (!text)
        error_set(err, ERROR_INTERNAL, "no memory for the report");
    *bytes = text ? strlen(text) : 0;
    return text;
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

// Packed, because run files repeat themselves (a tenth is left) and because base64 can end no
// <script>, whatever stands in a run.
static bool put_packed(const char *text, size_t bytes, FILE *stream, struct error *err)
{
    struct arena *arena = arena_create();
    uLongf packed_bytes = compressBound((uLong)bytes);
    unsigned char *packed = ARENA_ARRAY(arena, packed_bytes, unsigned char);
    int status = compress2(packed, &packed_bytes, (const unsigned char *)text, (uLong)bytes,
                           Z_BEST_COMPRESSION);
    if (status == Z_OK)
        put_base64(packed, packed_bytes, stream);
    arena_destroy(arena);
    return status == Z_OK ||
           error_set(err, ERROR_INTERNAL, "no memory for the report: %s", zError(status));
}

bool html_write(const struct run *const *runs, size_t count, FILE *stream, struct error *err)
{
    const char *at = find_marker();
    if (!at)
        return no_page(err);
    size_t bytes = 0;
    char *text = join_runs(runs, count, &bytes, err);
    if (!text)
        return false;
    fwrite(report_page, 1, (size_t)(at - report_page), stream);
    bool packed = put_packed(text, bytes, stream, err);
    free(text);
    if (!packed)
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
