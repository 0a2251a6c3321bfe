// SPDX-License-Identifier: MIT
// Build tool: compile_glsl LIST FOLDER DEPFILE GLSLC [OPTION…] compiles variants of GLSL sources.
// A line of LIST is a variant, with tabs between its words: SOURCE NAME [-DNAME[=VALUE]…]. Writes
// FOLDER/NAME.spv. DEPFILE lists the files that any variant read as if the first variant had read
// them. Paths are absolute.
// One glslc compiles all variants, because three quarters of its time are its start and GLSL's own
// declarations. Its definitions hold for all files of a call, so each variant becomes a file,
// variants/NAME, with its definitions below #version; lines keep their numbers.
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    VARIANTS_MAX = 64,
    READ_MAX = 256,
    OPTIONS_MAX = 32,
    LINE_BYTES = 4096
};

struct variant {
    char name[LINE_BYTES], path[LINE_BYTES * 2]; // variants/NAME
    char option[LINE_BYTES];                     // tells glslc the variant's stage
};

struct job {
    struct variant variants[VARIANTS_MAX];
    int count;
    char *read[READ_MAX]; // sources and the files that they include
    int read_count;
};

static _Noreturn void die(const char *what, const char *name)
{
    fprintf(stderr, "compile_glsl: %s: %s\n", what, name);
    exit(1);
}

static FILE *open_file(const char *path, const char *mode)
{
    FILE *file = fopen(path, mode);
    if (!file)
        die("cannot open", path);
    return file;
}

// Returns the whole file; the caller frees it.
static char *read_file(const char *path)
{
    FILE *file = open_file(path, "r");
    char *text = NULL;
    size_t bytes = 0, got = 0;
    do {
        text = realloc(text, bytes + (1 << 16) + 1);
        if (!text)
            die("out of memory", path);
        got = fread(text + bytes, 1, 1 << 16, file);
        bytes += got;
    } while (got > 0);
    text[bytes] = '\0';
    fclose(file);
    return text;
}

static void note_read(struct job *job, const char *path)
{
    for (int i = 0; i < job->read_count; i++)
        if (strcmp(job->read[i], path) == 0)
            return;
    if (job->read_count == READ_MAX || !(job->read[job->read_count] = strdup(path)))
        die("too many files", path);
    job->read_count++;
}

// Returns the line after #version, and its number. Only comments may stand before #version, and
// definitions only after it.
static char *after_version(char *source, const char *path, unsigned *number)
{
    char *line = source;
    for (bool found = false; !found; ++*number) {
        found = strncmp(line, "#version", 8) == 0;
        line = strchr(line, '\n');
        if (!line)
            die("no line #version", path);
        line++;
    }
    return line;
}

static void write_variant(struct job *job, char *line)
{
    const char *source = strtok(line, "\t\n"), *name = strtok(NULL, "\t\n");
    const char *stage = name ? strrchr(source, '.') : NULL;
    if (!stage || job->count == VARIANTS_MAX)
        die("too many variants, or a line without source and name", line);
    note_read(job, source);
    struct variant *variant = &job->variants[job->count++];
    snprintf(variant->name, sizeof variant->name, "%s", name);
    snprintf(variant->path, sizeof variant->path, "variants/%s", name);
    snprintf(variant->option, sizeof variant->option, "-fshader-stage=%s", stage + 1);

    char *text = read_file(source);
    unsigned number = 1;
    char *rest = after_version(text, source, &number);
    FILE *file = open_file(variant->path, "w");
    fwrite(text, 1, (size_t)(rest - text), file);
    for (char *word; (word = strtok(NULL, "\t\n"));) {
        char *value = strchr(word, '=');
        if (strncmp(word, "-D", 2) != 0)
            die("not a definition", word);
        if (value)
            *value++ = '\0';
        fprintf(file, "#define %s %s\n", word + 2, value ? value : "");
    }
    fprintf(file, "#line %u\n", number);
    fputs(rest, file);
    if (fclose(file) != 0)
        die("cannot write", variant->path);
    free(text);
}

static void write_variants(struct job *job, const char *list)
{
    if (mkdir("variants", 0777) != 0 && errno != EEXIST)
        die("cannot make", "variants");
    FILE *file = open_file(list, "r");
    char line[LINE_BYTES];
    while (fgets(line, sizeof line, file))
        write_variant(job, line);
    fclose(file);
    if (job->count == 0)
        die("no variants", list);
}

// Compiles all variants: glslc writes NAME.spv, and NAME.spv.d beside it.
static void compile(struct job *job, char **command)
{
    char *arguments[OPTIONS_MAX + VARIANTS_MAX * 2 + 3];
    int count = 0;
    for (; command[count]; count++) {
        if (count == OPTIONS_MAX)
            die("too many options", command[count]);
        arguments[count] = command[count];
    }
    arguments[count++] = "-MD";
    arguments[count++] = "-c";
    for (int i = 0; i < job->count; i++) {
        arguments[count++] = job->variants[i].option;
        arguments[count++] = job->variants[i].path;
    }
    arguments[count] = NULL;
    pid_t child = fork();
    if (child == 0) {
        execvp(arguments[0], arguments);
        die("cannot start", arguments[0]);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0)
        die("cannot start", arguments[0]);
    if (status != 0)
        exit(1); // glslc printed the reason
}

// Notes the files that the variant read. NAME.spv.d has `TARGET: VARIANT FILE…`.
static void note_included(struct job *job, const struct variant *variant)
{
    char path[LINE_BYTES * 2];
    snprintf(path, sizeof path, "%s.spv.d", variant->name);
    char *text = read_file(path);
    char *word = strtok(text, " \n");
    for (int i = 0; word; i++, word = strtok(NULL, " \n"))
        if (i >= 2)
            note_read(job, word);
    free(text);
    remove(path);
}

int main(int argc, char **argv)
{
    if (argc < 5)
        die("usage", "compile_glsl LIST FOLDER DEPFILE GLSLC [OPTION…]");
    struct job *job = calloc(1, sizeof *job);
    if (!job)
        die("out of memory", argv[1]);
    if (chdir(argv[2]) != 0)
        die("cannot enter", argv[2]);
    write_variants(job, argv[1]);
    compile(job, argv + 4);
    for (int i = 0; i < job->count; i++)
        note_included(job, &job->variants[i]);

    FILE *depends = open_file(argv[3], "w");
    fprintf(depends, "%s/%s.spv:", argv[2], job->variants[0].name);
    for (int i = 0; i < job->read_count; i++) {
        fprintf(depends, " \\\n  %s", job->read[i]);
        free(job->read[i]);
    }
    fprintf(depends, "\n");
    if (fclose(depends) != 0)
        die("cannot write", argv[3]);
    free(job);
    return 0;
}
