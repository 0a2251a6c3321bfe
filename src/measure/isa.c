// SPDX-License-Identifier: MIT
#include "measure/isa.h"

#include "base/text.h"

#include <ctype.h>
#include <string.h>

enum {
    BLOCKS_MAX = 512,
    NAME_BYTES = 32,
    KINDS_MAX = 8 // maximum number of different load instructions that are counted in one loop
};

struct name {
    char text[NAME_BYTES];
};

// A loop: from the first line of a block to the branch that jumps back to this line.
struct loop {
    const char *begin, *end;
};

struct kind {
    struct name name;
    unsigned count;
};

struct listing {
    struct name labels[BLOCKS_MAX];
    const char *places[BLOCKS_MAX];
    size_t label_count;
    struct loop loops[BLOCKS_MAX];
    size_t loop_count;
};

static const char *next_line(const char *at)
{
    at += strcspn(at, "\n");
    return *at ? at + 1 : at;
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

// Returns the word at `at`; "" if it is longer than any load instruction or label that matters.
static struct name word_at(const char *at)
{
    struct name name = {""};
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_')
        length++;
    if (length < sizeof name.text)
        memcpy(name.text, at, length);
    return name;
}

static void find_labels(struct listing *listing, const char *assembly)
{
    for (const char *line = assembly; *line; line = next_line(line)) {
        struct name name = word_at(line);
        if (!text_begins(name.text, "BB") || line[strlen(name.text)] != ':')
            continue;
        if (listing->label_count == BLOCKS_MAX)
            return;
        listing->labels[listing->label_count] = name;
        listing->places[listing->label_count++] = line;
    }
}

static void find_loops(struct listing *listing, const char *assembly)
{
    for (const char *line = assembly; *line; line = next_line(line)) {
        const char *at = skip_blanks(line);
        struct name name = word_at(at);
        if (!text_begins(name.text, "s_branch") && !text_begins(name.text, "s_cbranch"))
            continue;
        struct name target = word_at(skip_blanks(at + strlen(name.text)));
        for (size_t i = 0; i < listing->label_count; i++)
            if (strcmp(listing->labels[i].text, target.text) == 0 && listing->places[i] < line &&
                listing->loop_count < BLOCKS_MAX)
                listing->loops[listing->loop_count++] = (struct loop){listing->places[i], line};
    }
}

static bool is_innermost(const struct listing *listing, const struct loop *loop)
{
    for (size_t i = 0; i < listing->loop_count; i++) {
        const struct loop *other = &listing->loops[i];
        if (other != loop && other->begin >= loop->begin && other->end <= loop->end &&
            (other->begin > loop->begin || other->end < loop->end))
            return false;
    }
    return true;
}

static bool begins_any(const struct name *name, const char *const *starts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (text_begins(name->text, starts[i]))
            return true;
    return false;
}

static bool is_load(const struct name *name)
{
    static const char *const starts[] = {"buffer_load", "tbuffer_load", "global_load",  "flat_load",
                                         "image_load",  "image_sample", "image_gather", "ds_read",
                                         "ds_load",     "s_load",       "s_buffer_load"};
    return begins_any(name, starts, COUNT(starts));
}

static bool is_descriptor(const struct name *name)
{
    static const char *const starts[] = {"s_load_dwordx4", "s_load_dwordx8",
                                         // names since RDNA 3
                                         "s_load_b128", "s_load_b256"};
    return begins_any(name, starts, COUNT(starts));
}

static void count_kind(struct kind kinds[KINDS_MAX], const struct name *name)
{
    for (size_t i = 0; i < KINDS_MAX; i++)
        if (kinds[i].count == 0 || strcmp(kinds[i].name.text, name->text) == 0) {
            kinds[i].name = *name;
            kinds[i].count++;
            return;
        }
}

// Returns true for an access to memory by an instruction other than s_load, but not to scratch
// memory. The s_loads of the same loop may load descriptors for this access.
static bool is_other_access(const struct name *name)
{
    static const char *const starts[] = {"buffer_", "tbuffer_", "global_",      "flat_",
                                         "image_",  "ds_",      "s_buffer_load"};
    return begins_any(name, starts, COUNT(starts));
}

static unsigned count_loads(const struct loop *loop, struct kind kinds[KINDS_MAX])
{
    bool others = false;
    memset(kinds, 0, KINDS_MAX * sizeof *kinds);
    for (const char *line = loop->begin; line < loop->end; line = next_line(line)) {
        struct name name = word_at(skip_blanks(line));
        others = others || is_other_access(&name);
        if (is_load(&name))
            count_kind(kinds, &name);
    }
    unsigned count = 0;
    for (size_t i = 0; i < KINDS_MAX; i++) {
        if (others && is_descriptor(&kinds[i].name))
            kinds[i].count = 0;
        count += kinds[i].count;
    }
    return count;
}

static const char *text_of(struct arena *arena, struct kind kinds[KINDS_MAX])
{
    const char *text = "";
    for (;;) {
        struct kind *most = &kinds[0];
        for (size_t i = 1; i < KINDS_MAX; i++)
            most = kinds[i].count > most->count ? &kinds[i] : most;
        if (most->count == 0)
            return text;
        text = arena_printf(arena, "%s%s%u × %s", text, *text ? ", " : "", most->count,
                            most->name.text);
        most->count = 0;
    }
}

bool isa_loop_loads(struct arena *arena, const char *assembly, struct isa_loads *loads)
{
    struct listing *listing = ARENA_NEW(arena, struct listing);
    struct kind kinds[KINDS_MAX];
    find_labels(listing, assembly);
    find_loops(listing, assembly);
    *loads = (struct isa_loads){.text = ""};
    for (size_t i = 0; i < listing->loop_count; i++) {
        if (!is_innermost(listing, &listing->loops[i]))
            continue;
        unsigned count = count_loads(&listing->loops[i], kinds);
        if (count > loads->count)
            *loads = (struct isa_loads){count, text_of(arena, kinds)};
    }
    return loads->count > 0;
}
