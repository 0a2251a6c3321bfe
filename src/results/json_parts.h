// SPDX-License-Identifier: MIT
// The pieces of the run-file reader; for json_read*.c only.
#ifndef RESULTS_JSON_PARTS_H
#define RESULTS_JSON_PARTS_H

#include "results/json_node.h"
#include "results/results.h"

// The text of a member, NULL where it is absent.
const char *json_read_text(struct json_reader *reader, const struct json_node *node,
                           const char *name);
const char **json_read_strings(struct json_reader *reader, const struct json_node *node,
                               size_t *count);

// Objects of name → text and name → {value, unit}.
struct named_text *json_read_texts(struct json_reader *reader, const struct json_node *node,
                                   size_t *count);
struct named_number *json_read_numbers(struct json_reader *reader, const struct json_node *node,
                                       size_t *count);

// A unit of the closed table; UNIT_NONE where it is absent.
enum unit json_read_unit(struct json_reader *reader, const struct json_node *node,
                         const char *name);

// The version of a benchmark.
unsigned json_read_version(struct json_reader *reader, const struct json_node *node);

struct benchmark_info *json_read_benchmark(struct json_reader *reader,
                                           const struct json_node *node);

// Types and roles of the case's values come from the benchmarks that `run` already holds.
void json_read_result(struct json_reader *reader, const struct json_node *node,
                      const struct run *run, struct result *result);

#endif
