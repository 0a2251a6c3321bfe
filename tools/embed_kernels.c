// SPDX-License-Identifier: MIT
// Build tool: MANIFEST → OUT.c (the table of kernels) and OUT.S (their blobs, by .incbin, which
// compiles much faster than an array of hex). cmake/Kernels.cmake writes the manifest, one
// tab-separated record a line: `kernel NAME SOURCE WORKGROUP ARGS DEFINES`, then `FORM FILE` for
// each form of the kernel (spirv, ptx, opencl), then `host SYMBOL` or `stream SYMBOL` if the
// kernel is linked in.
#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIELDS_MAX = 6,
    LINE_BYTES = 4096,
    FORM_COUNT = 3,
    FORM_SPIRV = 0
};
static const char *const forms[FORM_COUNT] = {"spirv", "ptx", "opencl"};

struct kernel {
    char line[LINE_BYTES];
    char *fields[FIELDS_MAX];
    const struct kernel *owner[FORM_COUNT]; // whose blob this kernel uses: variants share OpenCL C
    char path[FORM_COUNT][LINE_BYTES];
    size_t bytes[FORM_COUNT];
    uint64_t hash;
    char host[LINE_BYTES]; // symbol; "": none
    bool streams;          // the record was `stream`, not `host`
    struct kernel *next;
};

static _Noreturn void die(const char *what, const char *name)
{
    fprintf(stderr, "embed_kernels: %s: %s\n", what, name);
    exit(1);
}

// Returns a file's hash: FNV-1a, 64 bit (Fowler, Noll, Vo; public domain constants).
static uint64_t hash_file(uint64_t hash, const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        die("cannot open", path);
    for (int byte = getc(file); byte != EOF; byte = getc(file), ++*bytes)
        hash = (hash ^ (uint64_t)byte) * 0x100000001b3u;
    fclose(file);
    return hash;
}

static void split(struct kernel *kernel)
{
    char *at = kernel->line;
    for (int field = 0; field < FIELDS_MAX; field++) {
        kernel->fields[field] = at;
        char *tab = strchr(at, '\t');
        if (tab) {
            *tab = '\0';
            at = tab + 1;
        } else {
            at += strlen(at);
        }
    }
}

static void emit_blob(FILE *assembly, const char *name, const char *form, const char *path)
{
    fprintf(assembly,
            "    .balign 16\n    .globl kernel_%s_%s\n    .hidden kernel_%s_%s\n"
            "kernel_%s_%s:\n    .incbin \"%s\"\n"
            "    .byte 0\n",
            name, form, name, form, name, form, path);
}

// Returns the first kernel with the same file.
static const struct kernel *owner_of(const struct kernel *first, int form, const char *path)
{
    while (strcmp(first->path[form], path) != 0)
        first = first->next;
    return first;
}

static struct kernel *read_manifest(FILE *manifest, FILE *assembly)
{
    struct kernel *first = NULL, **end = &first, *kernel = NULL;
    char line[LINE_BYTES];
    fprintf(assembly, "    .section .rodata\n");
    while (fgets(line, sizeof line, manifest)) {
        line[strcspn(line, "\n")] = '\0';
        char *tab = strchr(line, '\t');
        if (!tab)
            continue;
        *tab = '\0';
        if (strcmp(line, "kernel") == 0) {
            kernel = calloc(1, sizeof *kernel);
            if (!kernel)
                die("out of memory", line);
            memcpy(kernel->line, tab + 1, strlen(tab + 1) + 1);
            split(kernel);
            kernel->hash = 0xcbf29ce484222325u;
            *end = kernel;
            end = &kernel->next;
            continue;
        }
        bool streams = strcmp(line, "stream") == 0;
        if (kernel && (streams || strcmp(line, "host") == 0)) {
            memcpy(kernel->host, tab + 1, strlen(tab + 1) + 1);
            kernel->streams = streams;
        }
        for (int form = 0; kernel && form < FORM_COUNT; form++) {
            if (strcmp(line, forms[form]) != 0)
                continue;
            kernel->hash = hash_file(kernel->hash, tab + 1, &kernel->bytes[form]);
            memcpy(kernel->path[form], tab + 1, strlen(tab + 1) + 1);
            kernel->owner[form] = owner_of(first, form, tab + 1);
            if (kernel->owner[form] == kernel)
                emit_blob(assembly, kernel->fields[0], forms[form], tab + 1);
        }
    }
    fprintf(assembly, "    .section .note.GNU-stack,\"\",@progbits\n");
    return first;
}

static void emit_args(FILE *c, char *args)
{
    unsigned count = 0;
    fprintf(c, "    .args = {");
    if (strcmp(args, "-") != 0) {
        for (char *arg = strtok(args, ","); arg; arg = strtok(NULL, ",")) {
            fprintf(c, "%sGPU_ARG_", count++ ? ", " : "");
            for (; *arg; arg++)
                putc(toupper((unsigned char)*arg), c);
        }
    }
    fprintf(c, "%s},\n    .arg_count = %u,\n", count ? "" : "GPU_ARG_BUFFER", count);
}

// Reads "256" or "16x16x1".
static void read_workgroup(const char *text, unsigned size[3], const char *name)
{
    if (isalpha((unsigned char)*text)) // a stage has no size
        return;
    for (int axis = 0; axis < 3; axis++) {
        char *end;
        size[axis] = (unsigned)strtoul(text, &end, 10);
        if (size[axis] == 0 || (*end && *end != 'x'))
            die("workgroup size", name);
        if (*end == '\0')
            return;
        text = end + 1;
    }
}

static void emit_stage(FILE *c, const char *workgroup)
{
    if (isdigit((unsigned char)*workgroup))
        return;
    fprintf(c, "    .stage = GPU_STAGE_");
    for (; *workgroup; workgroup++)
        putc(toupper((unsigned char)*workgroup), c);
    fprintf(c, ",\n");
}

static void emit_kernel(FILE *c, struct kernel *k)
{
    const char *name = k->fields[0];
    unsigned size[3] = {1, 1, 1};
    read_workgroup(k->fields[2], size, name);
    for (int form = 0; form < FORM_COUNT; form++)
        if (k->owner[form])
            fprintf(c, "extern const %s kernel_%s_%s[];\n",
                    form == FORM_SPIRV ? "uint32_t" : "char", k->owner[form]->fields[0],
                    forms[form]);
    if (*k->host)
        fprintf(c, "extern void %s(void);\n", k->host);
    fprintf(c, "static const struct gpu_kernel %s = {\n    .name = \"%s\",\n", name, name);
    fprintf(c, "    .source = \"%s%s%s\",\n", k->fields[1], *k->fields[4] ? " " : "", k->fields[4]);
    emit_stage(c, k->fields[2]);
    fprintf(c, "    .workgroup = {%u, %u, %u},\n", size[0], size[1], size[2]);
    emit_args(c, k->fields[3]);
    for (int form = 0; form < FORM_COUNT; form++)
        if (k->owner[form])
            fprintf(c, "    .%s = kernel_%s_%s,\n", forms[form], k->owner[form]->fields[0],
                    forms[form]);
    if (k->owner[FORM_SPIRV])
        fprintf(c, "    .spirv_bytes = %zu,\n", k->bytes[FORM_SPIRV]);
    fprintf(c,
            "    .entry = \"%s\",\n    .opencl_options = \"-cl-std=CL1.2 -DKERNEL_NAME=%s "
            "-DWORKGROUP_X=%u -DWORKGROUP_Y=%u -DWORKGROUP_Z=%u%s%s\",\n",
            name, name, size[0], size[1], size[2], *k->fields[4] ? " " : "", k->fields[4]);
    if (*k->host)
        fprintf(c, "    .%s = %s,\n", k->streams ? "stream" : "host", k->host);
    fprintf(c, "    .hash = UINT64_C(0x%016" PRIx64 "),\n};\n", k->hash);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        die("usage", "embed_kernels MANIFEST OUT.c OUT.S");
    FILE *manifest = fopen(argv[1], "r"), *c = fopen(argv[2], "w"), *assembly = fopen(argv[3], "w");
    if (!manifest || !c || !assembly)
        die("cannot open", argv[1]);
    struct kernel *first = read_manifest(manifest, assembly);
    fprintf(c, "// Written by tools/embed_kernels.c from kernels.txt; not kept in the tree.\n"
               "#include \"bench/bench.h\"\n\n");
    for (struct kernel *k = first; k; k = k->next)
        emit_kernel(c, k);
    fprintf(c, "\nconst struct gpu_kernel *const kernels[] = {\n");
    for (struct kernel *k = first; k; k = k->next)
        fprintf(c, "    &%s,\n", k->fields[0]);
    fprintf(c, "    NULL,\n};\n");
    if (fclose(c) != 0 || fclose(assembly) != 0)
        die("cannot write", argv[2]);
    fclose(manifest);
    while (first) {
        struct kernel *next = first->next;
        free(first);
        first = next;
    }
    return 0;
}
