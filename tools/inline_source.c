// SPDX-License-Identifier: MIT
// Build tool: inline_source ROOT IN.cl OUT.cl [WITHOUT…] writes IN.cl with the file in place of
// every #include "…" (found under ROOT, each file once), because an OpenCL driver gets one string
// and no folder. Files named WITHOUT, which only other targets need, are left out. Comments at the
// start of a line are removed; the licence line of each file stays.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILES_MAX = 64,
    LINE_BYTES = 4096
};

struct inliner {
    const char *root;
    FILE *out, *depends;
    char seen[FILES_MAX][LINE_BYTES];
    int seen_count;
};

static _Noreturn void die(const char *what, const char *name)
{
    fprintf(stderr, "inline_source: %s: %s\n", what, name);
    exit(1);
}

// True if `name` was seen before; otherwise remembers it.
static bool see(struct inliner *inliner, const char *name)
{
    for (int i = 0; i < inliner->seen_count; i++)
        if (strcmp(inliner->seen[i], name) == 0)
            return true;
    if (inliner->seen_count == FILES_MAX)
        die("too many includes", name);
    snprintf(inliner->seen[inliner->seen_count++], LINE_BYTES, "%s", name);
    return false;
}

// Returns the name in `#include "name"`, or NULL.
static char *included_name(char *line)
{
    char *at = line + strspn(line, " \t");
    if (strncmp(at, "#include \"", 10) != 0)
        return NULL;
    at += 10;
    char *end = strchr(at, '"');
    if (!end)
        return NULL;
    *end = '\0';
    return at;
}

static void inline_file(struct inliner *inliner, const char *path, const char *shown)
{
    FILE *in = fopen(path, "r");
    if (!in)
        die("cannot open", path);
    char line[LINE_BYTES];
    unsigned number = 1;
    fprintf(inliner->depends, " \\\n  %s", path);
    fprintf(inliner->out, "#line 1 \"%s\"\n", shown);
    for (; fgets(line, sizeof line, in); number++) {
        bool licence = number == 1;
        char *name = included_name(line);
        if (name) {
            char below[LINE_BYTES * 2];
            if (!see(inliner, name)) {
                snprintf(below, sizeof below, "%s/%s", inliner->root, name);
                inline_file(inliner, below, name);
            }
            fprintf(inliner->out, "#line %u \"%s\"\n", number + 1, shown);
        } else {
            bool comment = !licence && strncmp(line, "//", 2) == 0;
            fputs(comment ? "\n" : line, inliner->out);
        }
    }
    fclose(in);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        die("usage", "inline_source ROOT IN.cl OUT.cl [WITHOUT…]");
    struct inliner *inliner = calloc(1, sizeof *inliner);
    if (!inliner)
        die("out of memory", argv[2]);
    inliner->root = argv[1];
    char depends[LINE_BYTES];
    snprintf(depends, sizeof depends, "%s.d", argv[3]);
    inliner->out = fopen(argv[3], "w");
    inliner->depends = fopen(depends, "w");
    if (!inliner->out || !inliner->depends)
        die("cannot open", argv[3]);
    fprintf(inliner->depends, "%s:", argv[3]);
    for (int i = 4; i < argc; i++)
        see(inliner, argv[i]);
    const char *base = strrchr(argv[2], '/');
    inline_file(inliner, argv[2], base ? base + 1 : argv[2]);
    fprintf(inliner->depends, "\n");
    if (fclose(inliner->out) != 0 || fclose(inliner->depends) != 0)
        die("cannot write", argv[3]);
    free(inliner);
    return 0;
}
