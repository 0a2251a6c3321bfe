// SPDX-License-Identifier: MIT
// Finds GPUs that the kernel lists, but that no API can open or CUDA_VISIBLE_DEVICES hides from
// CUDA. PCI class codes come from the PCI-SIG's class code specification (base class 03, display
// controllers), and vendor ids from the vendors' own assignments.
#include "base/text.h"
#include "gpu/info.h"
#include "suite/select.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    CLASS_DISPLAY = 0x03,
    CLASS_ACCELERATOR = 0x12 // PCI class of accelerators, such as AMD's Instinct cards
};

struct pci_gpu {
    const char *address;
    unsigned vendor, device;
};

struct search {
    struct arena *arena;
    const struct gpu_system *system;
    const char *root;
    struct unreached_gpu *gpus;
    size_t count, capacity;
};

static bool read_hex(const struct search *s, const char *address, const char *name, unsigned *value)
{
    char text[16];
    if (!text_read_line(text, sizeof text, "%s/sys/bus/pci/devices/%s/%s", s->root, address, name))
        return false;
    *value = (unsigned)strtoul(text, NULL, 16);
    return true;
}

static const char *vendor_name(unsigned vendor)
{
    switch (vendor) {
    case GPU_VENDOR_NVIDIA:
        return "an NVIDIA GPU";
    case GPU_VENDOR_AMD:
        return "an AMD GPU";
    case GPU_VENDOR_INTEL:
        return "an Intel GPU";
    default:
        // Other display devices are mostly management controllers or virtual displays.
        return NULL;
    }
}

static bool is_reached(const struct search *s, const struct pci_gpu *gpu)
{
    for (size_t i = 0; i < gpu_system_device_count(s->system); i++) {
        const struct gpu_info *info = gpu_system_info(s->system, i);
        if (info->kind == GPU_KIND_CPU || info->vendor_id != gpu->vendor)
            continue;
        const char *address = select_pci(s->arena, info);
        if (!address || !gpu->address || strcmp(address, gpu->address) == 0)
            return true;
    }
    return false;
}

// Returns 0 if the file can be opened for reading and writing, else the errno of the failure.
static int cannot_open(const struct search *s, const char *path)
{
    return access(arena_printf(s->arena, "%s%s", s->root, path), R_OK | W_OK) == 0 ? 0 : errno;
}

static bool is_forbidden(const struct search *s, const char *path)
{
    int failure = cannot_open(s, path);
    return failure == EACCES || failure == EPERM;
}

static const char *nvidia_remedy(const struct search *s)
{
    if (cannot_open(s, "/proc/driver/nvidia/version") == ENOENT)
        return "load NVIDIA's kernel driver (modprobe nvidia), or install it";
    int failure = cannot_open(s, "/dev/nvidia0");
    if (failure == ENOENT)
        return "its driver is loaded but /dev/nvidia0 is missing: in a container, start it with "
               "--gpus all";
    if (failure)
        return "/dev/nvidia0 may not be opened: let this user read and write it";
    return "its device files are there but neither a Vulkan driver nor libcuda.so.1 is: install "
           "the driver's libraries, in a container with NVIDIA_DRIVER_CAPABILITIES=all";
}

static const char *mesa_remedy(const struct search *s)
{
    // renderD128 is the first render node (Documentation/gpu/drm-uapi.rst of Linux).
    int failure = cannot_open(s, "/dev/dri/renderD128");
    if (failure == ENOENT)
        return "/dev/dri/renderD128 is missing: load the kernel driver (amdgpu, i915 or xe), or "
               "give the container --device /dev/dri";
    if (failure)
        return "/dev/dri/renderD128 may not be opened: add this user to the group render";
    return "its device files are there but no Vulkan driver is: install mesa-vulkan-drivers";
}

static void add_unreached(struct search *s, const struct pci_gpu *gpu)
{
    if (is_reached(s, gpu))
        return;
    s->gpus = arena_grow(s->arena, s->gpus, s->count, &s->capacity, sizeof *s->gpus);
    s->gpus[s->count++] = (struct unreached_gpu){
        .text = gpu->address
                    ? arena_printf(s->arena, "%s (%04x:%04x) at %s", vendor_name(gpu->vendor),
                                   gpu->vendor, gpu->device, gpu->address)
                    : vendor_name(gpu->vendor),
        .remedy = gpu->vendor == GPU_VENDOR_NVIDIA ? nvidia_remedy(s) : mesa_remedy(s),
        .forbidden = is_forbidden(s, gpu->vendor == GPU_VENDOR_NVIDIA ? "/dev/nvidia0"
                                                                      : "/dev/dri/renderD128"),
    };
}

// Reads vendor and device number at gpu->address. Returns false if they are not those of a GPU that
// we know.
static bool read_gpu(const struct search *s, struct pci_gpu *gpu)
{
    unsigned class_code;
    if (!read_hex(s, gpu->address, "class", &class_code) ||
        !read_hex(s, gpu->address, "vendor", &gpu->vendor) ||
        !read_hex(s, gpu->address, "device", &gpu->device) || !vendor_name(gpu->vendor))
        return false;
    unsigned base_class = class_code >> 16;
    return base_class == CLASS_DISPLAY ||
           (base_class == CLASS_ACCELERATOR && gpu->vendor == GPU_VENDOR_AMD);
}

// Returns the number of NVIDIA GPUs in sysfs. Adds GPUs that no API reaches if s->system is set.
static size_t search_sysfs(struct search *s)
{
    size_t nvidia = 0;
    DIR *folder = opendir(arena_printf(s->arena, "%s/sys/bus/pci/devices", s->root));
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        struct pci_gpu gpu = {.address = arena_strdup(s->arena, entry->d_name)};
        if (entry->d_name[0] == '.' || !read_gpu(s, &gpu))
            continue;
        nvidia += gpu.vendor == GPU_VENDOR_NVIDIA;
        if (s->system)
            add_unreached(s, &gpu);
    }
    if (folder)
        closedir(folder);
    return nvidia;
}

// True if NVIDIA's device file exists. A sandbox that hides sysfs may still show this file.
static bool has_device_file(const struct search *s)
{
    return cannot_open(s, "/dev/nvidia0") != ENOENT;
}

size_t select_unreached(struct arena *arena, const struct gpu_system *system, const char *root,
                        struct unreached_gpu **gpus)
{
    struct search search = {.arena = arena, .system = system, .root = root};
    if (search_sysfs(&search) == 0 && has_device_file(&search))
        add_unreached(&search, &(struct pci_gpu){.vendor = GPU_VENDOR_NVIDIA});
    *gpus = search.gpus;
    return search.count;
}

// True if an entry of CUDA_VISIBLE_DEVICES names a new GPU: a UUID, or an index below `count` that
// is not yet in `named`.
static bool names_new_gpu(const char *entry, size_t count, bool *named)
{
    char *end;
    unsigned long index = strtoul(entry, &end, 10);
    if (text_begins(entry, "GPU-"))
        return true;
    bool is_new = end > entry && (*end == ',' || !*end) && index < count && !named[index];
    if (is_new)
        named[index] = true;
    return is_new;
}

bool select_cards_hidden(struct arena *arena, const char *root, const char *visible)
{
    if (!visible)
        return false;
    struct search search = {.arena = arena, .root = root};
    size_t count = search_sysfs(&search), shown = 0;
    if (count == 0)
        return has_device_file(&search);
    bool *named = ARENA_ARRAY(arena, count, bool);
    while (visible && names_new_gpu(visible, count, named)) {
        shown++;
        visible = strchr(visible, ',');
        visible += visible != NULL;
    }
    return shown < count;
}
