// SPDX-License-Identifier: MIT
// Makes the cases of a benchmark: all combinations of the values chosen for its parameters.
#include "bench/bench.h"

#include <string.h>

struct planner {
    const struct bench_product *product;
    struct bench_case_list *list;
    // The case under construction, with room for the values of all parameters.
    struct bench_case c;
    // the array that bench_pick.at points to
    size_t *at;
    // true: reach() rejected a chosen value
    bool beyond;
    bool refused;     // true: keep() rejected a case
    struct error err; // error from keep(); the code is ERROR_NONE if there was none
};

static bool ends_in_max(const struct bench_choice *choice)
{
    const struct case_value *last = &choice->values[choice->value_count - 1];
    return choice->param->type != PARAM_TEXT && last->uint == UINT64_MAX;
}

// Calls replace() and, where bench.h says so, reach(). Returns false if reach() rejects the value.
static bool fit(struct planner *p, struct bench_pick *pick)
{
    const struct bench_product *product = p->product;
    const struct bench_choice *choice = &product->request->choices[pick->param];
    if (product->replace)
        product->replace(pick);
    if (!product->reach || (choice->from_user && !ends_in_max(choice)) || product->reach(pick))
        return true;
    p->beyond = true;
    return false;
}

static void add_case(struct planner *p)
{
    struct arena *arena = p->product->request->arena;
    struct arena_mark mark = arena_mark(arena);
    struct bench_case c = {.values = ARENA_ARRAY(arena, p->c.value_count, struct case_value),
                           .value_count = p->c.value_count};
    const struct bench_pick whole = {.request = p->product->request,
                                     .context = p->product->context,
                                     .c = c,
                                     .at = p->at,
                                     .param = p->product->request->choice_count};
    memcpy(c.values, p->c.values, c.value_count * sizeof *c.values);
    if (p->product->keep && !p->product->keep(&whole, &p->err)) {
        p->refused = true;
        arena_rewind(arena, mark);
        return;
    }
    bench_case_add(arena, p->list, c);
}

// Adds the cases with each value of `param`, combined with all values of later parameters.
static void add_values(struct planner *p, size_t param)
{
    const struct bench_request *request = p->product->request;
    if (p->err.code != ERROR_NONE)
        return;
    if (param == request->choice_count) {
        add_case(p);
        return;
    }
    const struct bench_choice *choice = &request->choices[param];
    const struct param_info *info = choice->param;
    if (!case_matches(&p->c, info->when)) {
        add_values(p, param + 1);
        return;
    }
    struct case_value before = {0};
    for (size_t at = 0, taken = 0; at < choice->value_count; at++) {
        struct case_value value = choice->values[at];
        p->at[param] = at;
        struct bench_pick pick = {.request = request,
                                  .context = p->product->context,
                                  .c = p->c,
                                  .at = p->at,
                                  .param = param,
                                  .value = &value};
        if (!fit(p, &pick) || (taken > 0 && case_value_equal(&value, &before)))
            continue;
        before = value;
        taken++;
        bool said = !info->unsaid || !case_value_says(&value, info->unsaid);
        if (info->said_as)
            value.key = info->said_as;
        p->c.values[p->c.value_count] = value;
        p->c.value_count += said;
        add_values(p, param + 1);
        p->c.value_count -= said;
    }
    p->at[param] = 0;
}

// Moves the cases that first() selects to the front of the list, as a stable partition.
static void put_first(const struct bench_product *product, struct bench_case *cases, size_t count)
{
    struct bench_case *rest = ARENA_ARRAY(product->request->arena, count, struct bench_case);
    size_t firsts = 0, rests = 0;
    for (size_t i = 0; i < count; i++) {
        if (product->first(product, &cases[i]))
            cases[firsts++] = cases[i];
        else
            rest[rests++] = cases[i];
    }
    if (rests)
        memcpy(cases + firsts, rest, rests * sizeof *rest);
}

bool bench_plan_product(const struct bench_product *product, struct bench_case_list *list,
                        struct error *err)
{
    const struct bench_request *request = product->request;
    size_t before = list->count;
    bool from_user = false;
    struct planner p = {
        .product = product,
        .list = list,
        .c = {.values = ARENA_ARRAY(request->arena, request->choice_count, struct case_value)},
        .at = ARENA_ARRAY(request->arena, request->choice_count, size_t),
        .err = {.code = ERROR_NONE},
    };
    for (size_t i = 0; i < request->choice_count; i++)
        from_user = from_user || request->choices[i].from_user;
    add_values(&p, 0);
    if (p.err.code != ERROR_NONE) {
        *err = p.err;
        return false;
    }
    if (product->first)
        put_first(product, list->cases + before, list->count - before);
    if (list->count > before || !from_user)
        return true;
    if (p.beyond && !p.refused)
        return error_set(err, ERROR_UNSUPPORTED, "the device can have none of these values");
    return error_set(err, ERROR_USAGE,
                     "these values do not go together; `fathom list BENCHMARK` shows which do");
}

bool bench_plan(const struct benchmark *benchmark, const struct bench_request *request,
                struct bench_case_list *list, struct error *err)
{
    struct bench_product product = benchmark->product;
    product.request = request;
    return benchmark->plan ? benchmark->plan(request, list, err)
                           : bench_plan_product(&product, list, err);
}
