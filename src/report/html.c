// SPDX-License-Identifier: MIT
#include "report/export.h"
#include "report/picture.h"
#include "results/codec.h"
#include "results/json.h"
#include "results/save.h"

#include <stdint.h>
#include <string.h>
#include <zlib.h>

// The report page (cmake/Web.cmake), without a NUL at its end; 0 bytes if it was not built.
extern const char report_page[];
extern const uint64_t report_page_bytes;

// Why the page could not be built; "" if it was built.
extern const char report_page_reason[];

// Markers in the page: for the summary of the devices, for the runs, and before the script of the
// live page. build.mjs checks that the page has each marker once.
static const char first_marker[] = "@FIRST@", runs_marker[] = "@RUNS@", live_marker[] = "@LIVE@";

bool html_available(const char **reason)
{
    *reason = report_page_reason;
    return report_page_bytes > 0;
}

// The part of the page from `start` to a marker at `end`; the page goes on at `rest`.
struct part {
    const char *start, *end, *rest;
};

// Returns the part of the page from `start` to a marker. Without the marker, `rest` is NULL.
static struct part part_before(const char *start, const char *marker)
{
    const char *end = report_page + report_page_bytes;
    size_t length = strlen(marker);
    for (const char *at = start; (at = memchr(at, marker[0], (size_t)(end - at))) != NULL; at++)
        if ((size_t)(end - at) >= length && memcmp(at, marker, length) == 0)
            return (struct part){start, at, at + length};
    return (struct part){start, end, NULL};
}

static void part_put(const struct part *part, FILE *stream)
{
    fwrite(part->start, 1, (size_t)(part->end - part->start), stream);
}

static bool no_page(struct error *err)
{
    return error_set(err, ERROR_UNSUPPORTED, "the report page is not in this build, because %s",
                     report_page_reason);
}

// ---------------------------------------------------------------- runs as packed data

enum {
    // size of packer.packed in bytes. It is a multiple of 3, so base64 is padded only at the end.
    PACKED_BYTES = 48 * 1024,
    PACKED_LEVEL = 5 // zlib's level; level 6 would take a third longer and save 1 % of the bytes
};

// Compresses text piece by piece and writes it to the page as base64. A run may have 100 MB, so the
// text is never in memory as a whole.
struct packer {
    struct arena *arena;
    FILE *stream;
    z_stream zlib;
    unsigned char packed[PACKED_BYTES];
};

static void put_base64(const unsigned char *bytes, size_t count, FILE *stream)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        size_t rest = count - i;
        uint32_t group = (uint32_t)bytes[i] << 16 | (uint32_t)(rest > 1 ? bytes[i + 1] : 0) << 8 |
                         (rest > 2 ? bytes[i + 2] : 0);
        const char four[] = {digits[group >> 18], digits[group >> 12 & 63],
                             rest > 1 ? digits[group >> 6 & 63] : '=',
                             rest > 2 ? digits[group & 63] : '='};
        fwrite(four, 1, sizeof four, stream);
    }
}

// Writes the compressed bytes if the buffer is full or `end` is true, and empties the buffer.
static void put_piece(struct packer *packer, bool end)
{
    size_t count = PACKED_BYTES - packer->zlib.avail_out;
    if (count < PACKED_BYTES && !end)
        return;
    put_base64(packer->packed, count, packer->stream);
    packer->zlib.next_out = packer->packed;
    packer->zlib.avail_out = PACKED_BYTES;
}

// Compresses a piece of text, for the JSON writer (json_out.sink).
static void pack(void *context, const char *text, size_t bytes)
{
    struct packer *packer = context;
    packer->zlib.next_in = (unsigned char *)text; // the cast is safe: zlib only reads its input
    packer->zlib.avail_in = (uInt)bytes;
    while (packer->zlib.avail_in > 0) {
        deflate(&packer->zlib, Z_NO_FLUSH);
        put_piece(packer, false);
    }
}

static voidpf packer_alloc(voidpf packer, uInt count, uInt bytes)
{
    return arena_alloc(((struct packer *)packer)->arena, (size_t)count * bytes);
}

static void packer_free(voidpf packer, voidpf address)
{
    (void)packer, (void)address; // zlib's memory is freed together with the arena
}

// Writes the runs as a JSON array. Leaves out the medians of single rounds, because no chart shows
// them and they would be two fifths of a run's compressed bytes.
static bool put_runs(const struct run *const *runs, size_t count, struct packer *packer,
                     struct error *err)
{
    struct json_out out = {
        .arena = packer->arena, .sink = pack, .sink_context = packer, .without = "rounds"};
    json_put_open(&out, NULL, '[');
    for (size_t i = 0; i < count; i++)
        run_put(&out, NULL, runs[i]);
    json_put_close(&out, ']');
    return json_out_end(&out, "the report", err);
}

// Writes the runs as base64, compressed to a tenth, because base64 has no characters that could end
// the <script> element.
static bool put_packed(const struct run *const *runs, size_t count, FILE *stream, struct error *err)
{
    struct arena *arena = arena_create();
    struct packer *packer = ARENA_NEW(arena, struct packer);
    *packer = (struct packer){.arena = arena, .stream = stream};
    packer->zlib = (z_stream){.zalloc = packer_alloc,
                              .zfree = packer_free,
                              .opaque = packer,
                              .next_out = packer->packed,
                              .avail_out = PACKED_BYTES};
    bool written = deflateInit(&packer->zlib, PACKED_LEVEL) == Z_OK
                       ? put_runs(runs, count, packer, err)
                       : error_set(err, ERROR_INTERNAL, "this zlib cannot pack the report");
    while (written && deflate(&packer->zlib, Z_FINISH) != Z_STREAM_END)
        put_piece(packer, false);
    put_piece(packer, true);
    arena_destroy(arena);
    return written;
}

static bool wrong_page(struct error *err)
{
    return error_set(err, ERROR_INTERNAL,
                     "the report page of this build is of another version: build it anew");
}

// Writes the page from the end of the runs on. A report ends before the live page's script; HTML
// permits it to lack the closing tags.
static bool end_page(const struct part *runs, bool live, FILE *stream, struct error *err)
{
    struct part end = part_before(runs->rest, live_marker);
    if (!end.rest)
        return wrong_page(err);
    part_put(&end, stream);
    if (live)
        fwrite(end.rest, 1, (size_t)(report_page + report_page_bytes - end.rest), stream);
    return export_end(stream, "the report", err);
}

bool html_write(const struct run *const *runs, size_t count, FILE *stream, struct error *err)
{
    if (!report_page_bytes)
        return no_page(err);
    struct part head = part_before(report_page, first_marker);
    struct part middle = head.rest ? part_before(head.rest, runs_marker) : head;
    if (!middle.rest)
        return wrong_page(err);
    part_put(&head, stream);
    picture_write(runs, count, stream);
    part_put(&middle, stream);
    return put_packed(runs, count, stream, err) && end_page(&middle, false, stream, err);
}

// ---------------------------------------------------------------- the live page

// The page has a content security policy for a report, and one for the live page, after these
// texts. A report's policy allows all styles: readers without a script get more (report/picture.c).
static const char policy_start[] = "http-equiv=\"Content-Security-Policy\" content=\"";
static const char live_policy_start[] = "name=\"policy\" content=\"";

// Returns the page after `start` up to the next quotation mark; an empty text without `start`.
static struct part policy_part(const char *start)
{
    struct part head = part_before(report_page, start);
    return head.rest ? part_before(head.rest, "\"") : (struct part){"", "", NULL};
}

const char *html_live_policy(struct arena *arena, const char *address)
{
    struct part own = policy_part(live_policy_start);
    return arena_printf(arena, "%.*s; connect-src %s", (int)(own.end - own.start), own.start,
                        address);
}

bool html_write_live(const char *data, const char *policy, FILE *stream, struct error *err)
{
    if (!report_page_bytes)
        return no_page(err);
    struct part own = policy_part(policy_start);
    struct part head = own.rest ? part_before(own.end, first_marker) : own;
    struct part middle = head.rest ? part_before(head.rest, runs_marker) : head;
    if (!middle.rest)
        return wrong_page(err);
    fwrite(report_page, 1, (size_t)(own.start - report_page), stream);
    fputs(policy, stream);
    part_put(&head, stream);
    part_put(&middle, stream);
    fputs(data, stream);
    return end_page(&middle, true, stream, err);
}

// ---------------------------------------------------------------- writing the page to a file

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
