// SPDX-License-Identifier: MIT
// Build tool: finish_ptx IN.ptx OUT.ptx VERSION TARGET [THREADS [VERSION TARGET]] turns what clang
// wrote into a module that a driver takes, or stops the build:
// - `.extern .const` becomes `.visible .const`: constant buffers are declared without a value, so
//   that clang cannot fold loads from them; the host fills the symbol (bench/prelude/ptx.clh);
// - an unresolved function is an error: otherwise only a machine with the driver would find it;
// - a .version or .target that differs from VERSION and TARGET is an error: clang only warns of a
//   feature that it does not know, and falls back;
// - a second VERSION and TARGET replace the first ones, for kernels with inline instructions that
//   clang's own versions lack. THREADS is 0 if the number is open.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_BYTES = 1 << 16
};

static _Noreturn void die(const char *path, const char *what, const char *line)
{
    fprintf(stderr, "finish_ptx: %s: %s: %s\n", path, what, line);
    exit(1);
}

static const char version_directive[] = ".version ", target_directive[] = ".target ";

static void check_line(const char *path, char *line, const char *version, const char *target)
{
    size_t length = strlen(version_directive);
    if (strncmp(line, version_directive, length) == 0 && strcmp(line + length, version) != 0)
        die(path, "clang does not know this PTX version and wrote another", line);
    length = strlen(target_directive);
    if (strncmp(line, target_directive, length) == 0 && strcmp(line + length, target) != 0)
        die(path, "clang does not know this target and wrote another", line);
    if (strncmp(line, ".extern .func", strlen(".extern .func")) == 0)
        die(path, "a function that the prelude does not have (see bench/prelude/prelude.clh)",
            line);
}

int main(int argc, char **argv)
{
    if (argc < 5 || argc > 8 || argc == 7)
        die("usage", "finish_ptx IN.ptx OUT.ptx VERSION TARGET [THREADS [VERSION TARGET]]", "");
    bool bounded = argc > 5 && strcmp(argv[5], "0") != 0, newer = argc == 8;
    FILE *in = fopen(argv[1], "r"), *out = fopen(argv[2], "w");
    static char line[LINE_BYTES];
    static const char constant[] = ".extern .const";
    bool in_head = false; // in the head of an entry
    if (!in || !out)
        die(argv[in ? 2 : 1], "cannot open", "");
    while (fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = '\0';
        check_line(argv[1], line, argv[3], argv[4]);
        in_head = in_head || strstr(line, ".entry ");
        if (in_head && line[0] == '{') {
            in_head = false;
            if (bounded)
                fprintf(out, ".maxntid %s\n", argv[5]);
        }
        if (newer && strncmp(line, version_directive, strlen(version_directive)) == 0)
            fprintf(out, "%s%s\n", version_directive, argv[6]);
        else if (newer && strncmp(line, target_directive, strlen(target_directive)) == 0)
            fprintf(out, "%s%s\n", target_directive, argv[7]);
        else if (strncmp(line, constant, strlen(constant)) == 0)
            fprintf(out, ".visible .const%s\n", line + strlen(constant));
        else
            fprintf(out, "%s\n", line);
    }
    fclose(in);
    if (fclose(out) != 0)
        die(argv[2], "cannot write", "");
    return 0;
}
