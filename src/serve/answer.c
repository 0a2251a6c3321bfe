// SPDX-License-Identifier: MIT
#include "serve/answer.h"

#include "base/version.h"
#include "bench/bench.h"
#include "results/codec.h"
#include "results/json.h"

static struct json_out begin(struct arena *arena, const char *type)
{
    struct json_out out = {.arena = arena};
    json_put_open(&out, NULL, '{');
    json_put_text(&out, "type", type);
    return out;
}

static const char *end(struct json_out *out)
{
    json_put_close(out, '}');
    return json_out_text(out);
}

const char *answer_welcome(struct arena *arena, const struct run *offered)
{
    struct json_out out = begin(arena, "welcome");
    json_put_text(&out, "version", fathom_version.version);
    json_put_member(&out, &run_table, "devices", offered);
    json_put_open(&out, "benchmarks", '[');
    for (size_t i = 0; benchmarks[i]; i++)
        if (!benchmarks[i]->command)
            benchmark_describe(&out, benchmarks[i]);
    json_put_close(&out, ']');
    json_put_open(&out, "scenarios", '[');
    for (size_t i = 0; benchmarks[i]; i++)
        if (benchmarks[i]->put_scenarios)
            benchmarks[i]->put_scenarios(&out);
    json_put_close(&out, ']');
    return end(&out);
}

const char *answer_started(struct arena *arena, uint64_t id, size_t cases)
{
    struct json_out out = begin(arena, "started");
    json_put_count(&out, "id", id);
    json_put_count(&out, "cases", cases);
    return end(&out);
}

const char *answer_result(struct arena *arena, uint64_t id, uint64_t frame,
                          const struct result *result)
{
    struct json_out out = begin(arena, "result");
    json_put_count(&out, "id", id);
    json_put_count(&out, "frame", frame);
    json_put_struct(&out, "result", &result_table, result);
    return end(&out);
}

const char *answer_done(struct arena *arena, const struct answer_end *done)
{
    struct json_out out = begin(arena, "done");
    json_put_count(&out, "id", done->id);
    json_put_count(&out, "frame", done->frame);
    json_put_text(&out, "status", words_name(&run_status_words, done->run->status));
    if (done->whole)
        run_put(&out, "run", done->run);
    json_put_member(&out, &run_table, "findings", done->run);
    return end(&out);
}

const char *answer_error(struct arena *arena, uint64_t id, const char *message)
{
    struct json_out out = begin(arena, "error");
    if (id)
        json_put_count(&out, "id", id);
    json_put_text(&out, "message", message);
    return end(&out);
}

const char *answer_status(struct arena *arena, const char *text)
{
    struct json_out out = begin(arena, "status");
    json_put_text(&out, "text", text);
    return end(&out);
}
