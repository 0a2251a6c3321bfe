// SPDX-License-Identifier: MIT
#include "report/export.h"

#include "report/spans.h"
#include "results/codec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_TRACK = 1000, // tracks have numbers from here on; processes have lower numbers
    // Maximum number of tracks per core: spans on one track must not overlap.
    TRACKS_A_CORE = 64
};

// Time of the first event. At time 0, Perfetto 20 would ignore the value of a counter.
static const double first_ns = 1000;

// A process of the trace (tid < 0), or a track of a process (tid ≥ 0).
struct track {
    long long pid, tid;
    const char *name;
};

struct trace {
    struct arena *arena;
    struct json_out *out;
    size_t flows;    // number of arrows so far, which is also the id of the next arrow
    double start_ns; // time in ns after first_ns at which the result that is being added begins
    struct track *tracks;
    size_t track_count, track_capacity;
};

// Writes a time in µs with 15 digits, so that 1.128 is not written as 1.1279999999999999.
static void put_time(struct trace *trace, const char *name, double ns)
{
    char text[32];
    snprintf(text, sizeof text, "%.15g", ns / 1e3);
    json_put_real(trace->out, name, strtod(text, NULL));
}

// Begins an event of the trace; the caller writes further members and ends the event. `ns` is the
// time since the beginning of the result.
static void event_open(struct trace *trace, const char *phase, const char *name, long long pid,
                       long long tid, double ns)
{
    json_put_open(trace->out, NULL, '{');
    json_put_text(trace->out, "ph", phase);
    json_put_text(trace->out, "name", name);
    json_put_real(trace->out, "pid", (double)pid);
    json_put_real(trace->out, "tid", (double)tid);
    put_time(trace, "ts", first_ns + trace->start_ns + ns);
}

static void track_add(struct trace *trace, long long pid, long long tid, const char *name)
{
    trace->tracks = arena_grow(trace->arena, trace->tracks, trace->track_count,
                               &trace->track_capacity, sizeof *trace->tracks);
    trace->tracks[trace->track_count++] = (struct track){pid, tid, name};
    event_open(trace, "M", tid < 0 ? "process_name" : "thread_name", pid, tid < 0 ? 0 : tid, 0);
    json_put_open(trace->out, "args", '{');
    json_put_text(trace->out, "name", name);
    json_put_close(trace->out, '}');
    json_put_close(trace->out, '}');
}

// Returns the number of the process with this name; adds it if there is none.
static long long process_of(struct trace *trace, const char *name)
{
    long long last = 0;
    for (size_t i = 0; i < trace->track_count; i++) {
        const struct track *track = &trace->tracks[i];
        if (track->tid < 0 && strcmp(track->name, name) == 0)
            return track->pid;
        last = track->pid > last ? track->pid : last;
    }
    track_add(trace, last + 1, -1, name);
    return last + 1;
}

// Returns the number of the process's track with this name; adds it if there is none. Numbers are
// unique in the trace, because Perfetto 20 confuses equal ones of two processes.
static long long track_of(struct trace *trace, long long pid, const char *name)
{
    for (size_t i = 0; i < trace->track_count; i++) {
        const struct track *track = &trace->tracks[i];
        if (track->pid == pid && track->tid >= 0 && strcmp(track->name, name) == 0)
            return track->tid;
    }
    long long tid = FIRST_TRACK + (long long)trace->track_count;
    track_add(trace, pid, tid, name);
    return tid;
}

static void span_add(struct trace *trace, const char *name, long long pid, long long tid,
                     const struct spans *spans, size_t row)
{
    double start = spans_cell(spans, row, spans->start, 0) - spans->from_ns;
    double end = spans_cell(spans, row, spans->end, 0) - spans->from_ns;
    event_open(trace, "X", name, pid, tid, start);
    put_time(trace, "dur", end - start);
    json_put_close(trace->out, '}');
}

static long long pid_of(struct trace *trace, const struct spans *line, size_t row)
{
    return process_of(trace, arena_printf(trace->arena, "%s queue %.0f", line->result->device,
                                          spans_cell(line, row, line->queue, 0)));
}

static const char *label_of(const struct trace *trace, const struct spans *line, size_t row)
{
    return spans_label(trace->arena, line->result, (size_t)spans_cell(line, row, line->lane, 0));
}

static void flow_end_add(struct trace *trace, const char *phase, const struct spans *line,
                         size_t row, double ns)
{
    long long pid = pid_of(trace, line, row);
    event_open(trace, phase, "waits", pid, track_of(trace, pid, label_of(trace, line, row)), ns);
    json_put_text(trace->out, "cat", "waits");
    json_put_count(trace->out, "id", trace->flows);
    if (strcmp(phase, "f") == 0)
        json_put_text(trace->out, "bp", "e");
    json_put_close(trace->out, '}');
}

// Draws the arrow of a wait as two events. Perfetto attaches an event to the span at its time, so
// the first event lies shortly before the end of the span that was waited for.
static void flow_add(struct trace *trace, const struct spans *line, const struct spans_edge *edge)
{
    double start = spans_cell(line, edge->from, line->start, 0) - line->from_ns;
    double end = spans_cell(line, edge->from, line->end, 0) - line->from_ns;
    flow_end_add(trace, "s", line, edge->from, end - fmin(1, (end - start) / 2));
    flow_end_add(trace, "f", line, edge->to,
                 spans_cell(line, edge->to, line->start, 0) - line->from_ns);
    trace->flows++;
}

// Adds a span with the key of the case, as long as the result's time line.
static void case_add(struct trace *trace, const struct spans *line)
{
    const struct result *result = line->result;
    long long pid = process_of(trace, arena_printf(trace->arena, "%s cases", result->device));
    event_open(trace, "X", result->key, pid, track_of(trace, pid, "cases"), 0);
    put_time(trace, "dur", line->to_ns - line->from_ns);
    json_put_close(trace->out, '}');
}

static void line_add(struct trace *trace, const struct spans *line)
{
    case_add(trace, line);
    for (size_t i = 0; i < line->series->row_count; i++) {
        long long pid = pid_of(trace, line, i);
        const char *label = label_of(trace, line, i);
        span_add(trace, label, pid, track_of(trace, pid, label), line, i);
    }
    size_t count;
    const struct spans_edge *edges = spans_edges(trace->arena, line, &count);
    for (size_t i = 0; i < count; i++)
        flow_add(trace, line, &edges[i]);
}

// ---------------------------------------------------------------- spans on each core

struct bound {
    double ns;
    size_t row;
    int change; // change of the number of running spans: +1 if one begins, −1 if one ends
};

static int bound_compare(const void *left, const void *right)
{
    const struct bound *a = left, *b = right;
    if (a->ns != b->ns)
        return a->ns < b->ns ? -1 : 1;
    // At equal times, an end comes before a start, because the next span may need the track.
    return a->change - b->change;
}

static struct bound *bounds_of(struct arena *arena, const struct spans *crowd)
{
    size_t rows = crowd->series->row_count;
    struct bound *bounds = ARENA_ARRAY(arena, 2 * rows, struct bound);
    for (size_t i = 0; i < rows; i++) {
        bounds[2 * i] = (struct bound){spans_cell(crowd, i, crowd->start, 0), i, 1};
        bounds[2 * i + 1] = (struct bound){spans_cell(crowd, i, crowd->end, 0), i, -1};
        // A span of length 0 gets a positive length, so that its end comes after its start.
        if (bounds[2 * i + 1].ns <= bounds[2 * i].ns)
            bounds[2 * i + 1].ns = nextafter(bounds[2 * i].ns, INFINITY);
    }
    qsort(bounds, 2 * rows, sizeof *bounds, bound_compare);
    return bounds;
}

static long long cores_pid(struct trace *trace, const struct spans *crowd)
{
    return process_of(trace, arena_printf(trace->arena, "%s cores", crowd->result->device));
}

static void count_add(struct trace *trace, const struct spans *crowd, double ns, int count)
{
    event_open(trace, "C", "at once", cores_pid(trace, crowd), 0, ns - crowd->from_ns);
    json_put_open(trace->out, "args", '{');
    json_put_real(trace->out, crowd->series->name, count);
    json_put_close(trace->out, '}');
    json_put_close(trace->out, '}');
}

// Takes the lowest free track of a core (clear bits of *used), or the last one if none is free.
static unsigned track_take(uint64_t *used)
{
    unsigned track = 0;
    while (track + 1 < TRACKS_A_CORE && *used >> track & 1)
        track++;
    *used |= UINT64_C(1) << track;
    return track;
}

// Adds a span to a track of its core. Spans that run at the same time need different tracks.
static void core_add(struct trace *trace, const struct spans *crowd, size_t row, size_t core,
                     unsigned track)
{
    long long pid = cores_pid(trace, crowd);
    const char *name = track ? arena_printf(trace->arena, "core %zu, %u", core, track + 1)
                             : arena_printf(trace->arena, "core %zu", core);
    span_add(trace, label_of(trace, crowd, row), pid, track_of(trace, pid, name), crowd, row);
}

static void crowd_add(struct trace *trace, const struct spans *crowd)
{
    enum {
        CORES_MAX = 4096
    };
    size_t rows = crowd->series->row_count;
    struct bound *bounds = bounds_of(trace->arena, crowd);
    uint64_t *used = ARENA_ARRAY(trace->arena, CORES_MAX, uint64_t);
    unsigned *tracks = ARENA_ARRAY(trace->arena, rows, unsigned);
    int count = 0;
    for (size_t m = 0; m < 2 * rows; m++) {
        const struct bound *bound = &bounds[m];
        double core = spans_cell(crowd, bound->row, crowd->core, -1);
        count += bound->change;
        if (m + 1 == 2 * rows || bounds[m + 1].ns != bound->ns)
            count_add(trace, crowd, bound->ns, count);
        if (!(core >= 0 && core < CORES_MAX))
            continue;
        size_t c = (size_t)core;
        if (bound->change < 0) {
            used[c] &= ~(UINT64_C(1) << tracks[bound->row]);
            continue;
        }
        unsigned track = tracks[bound->row] = track_take(&used[c]);
        core_add(trace, crowd, bound->row, c, track);
    }
}

// ---------------------------------------------------------------- the trace file

// Adds the spans of a result to the trace. The next result begins after a gap.
static void result_add(struct trace *trace, const struct result *result)
{
    struct spans line, crowd;
    if (!spans_line(result, &line))
        return;
    bool crowded = spans_crowd(result, &crowd);
    // The time line and the crowd (report/spans.h) get a common start, so they stay aligned.
    if (crowded)
        line.from_ns = crowd.from_ns = fmin(line.from_ns, crowd.from_ns);
    line_add(trace, &line);
    if (crowded)
        crowd_add(trace, &crowd);
    double length_ns = (crowded ? fmax(line.to_ns, crowd.to_ns) : line.to_ns) - line.from_ns;
    trace->start_ns += ceil(length_ns * 1.1);
}

bool trace_write(const struct run *run, FILE *stream, struct error *err)
{
    struct arena *arena = arena_create();
    struct json_out out = {.arena = arena, .stream = stream};
    struct trace trace = {.arena = arena, .out = &out};
    // The trace has no displayTimeUnit, because Perfetto before 2022 mistook it for the unit of ts
    // and dur (its issues 106 and 274).
    json_put_open(&out, NULL, '{');
    json_put_open(&out, "traceEvents", '[');
    for (size_t i = 0; i < run->result_count; i++)
        result_add(&trace, run->results[i]);
    json_put_close(&out, ']');
    json_put_close(&out, '}');
    bool written = json_out_end(&out, "the trace", err);
    arena_destroy(arena);
    return written;
}
