// SPDX-License-Identifier: MIT
#include "report/html.h"
#include "report/page.h"
#include "results/json.h"
#include "results/save.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

// The run as the page needs it: shares everything with `run` but the medians of rounds.
static struct run *without_rounds(struct arena *arena, const struct run *run)
{
    struct run *brief = ARENA_NEW(arena, struct run);
    *brief = *run;
    brief->results = ARENA_ARRAY(arena, run->result_count, struct result *);
    for (size_t i = 0; i < run->result_count; i++) {
        struct result *result = ARENA_NEW(arena, struct result);
        *result = *run->results[i];
        result->metrics = ARENA_ARRAY(arena, result->metric_count, struct metric);
        for (size_t j = 0; j < result->metric_count; j++) {
            result->metrics[j] = run->results[i]->metrics[j];
            result->metrics[j].round_count = 0;
        }
        brief->results[i] = result;
    }
    return brief;
}

// JSON inside <script>: "<" stands only in strings, and there its escape means the same; without it
// neither </script> nor <!-- can be.
static void put_json(const char *text, size_t bytes, FILE *stream)
{
    const char *end = text + bytes;
    while (text < end) {
        const char *less = memchr(text, '<', (size_t)(end - text));
        const char *until = less ? less : end;
        fwrite(text, 1, (size_t)(until - text), stream);
        if (less)
            fputs("\\u003c", stream);
        text = until + (less != NULL);
    }
}

static bool put_run(const struct run *run, FILE *stream, struct error *err)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    if (!memory)
        return error_set(err, ERROR_INTERNAL, "no memory for the report: %s", strerror(errno));
    struct arena *arena = arena_create();
    bool written = run_write(without_rounds(arena, run), memory, err);
    arena_destroy(arena);
    fclose(memory);
    if (written)
        put_json(text, bytes, stream);
    free(text);
    return written;
}

bool html_write(const struct run *const *runs, size_t count, FILE *stream, struct error *err)
{
    const char *at = find_marker();
    if (!at)
        return no_page(err);
    fwrite(report_page, 1, (size_t)(at - report_page), stream);
    fputc('[', stream);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ",\n" : "", stream);
        if (!put_run(runs[i], stream, err))
            return false;
    }
    fputc(']', stream);
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
