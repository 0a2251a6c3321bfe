// SPDX-License-Identifier: MIT
// Computes what hardware counters should count in a case: instructions, requests and sectors.
// These numbers follow from the addresses that the kernels of buffer.cl and write.cl use. Only
// cases with fidelity=peak on NVIDIA have predictions. Compilers cannot combine the loads of these
// cases, and NVIDIA's subgroups have 32 threads.
#include "bench/loads/session.h"

#include <math.h>

enum {
    LANES = 32,
    SUBGROUPS = LOADS_THREADS / LANES,
    SECTOR_BYTES = 32,
    WAVEFRONT_BYTES = 128,
    WORD_BYTES = 4,
    // Upper bound of a buffer's size in bytes: at most 16 KiB of elements, after an offset.
    BYTES_MAX = 2 * LOADS_ELEMENTS * 16,
    SECTORS_MAX = BYTES_MAX / SECTOR_BYTES
};

// How many requests a workgroup makes to global memory, and how many 32-byte sectors they touch.
struct traffic {
    double requests, sectors;
};

// How compilers split the load of one element. It becomes loads of words if the element has three
// words or its known alignment is only 4 bytes. It becomes loads of halves if its known alignment
// is only 8 bytes. Else it is not split.
struct access {
    unsigned parts, bytes; // one load makes `parts` accesses of `bytes` bytes each
};

static struct access access_of(const struct loads_kind *kind)
{
    bool by_words = kind->source == LOADS_FROM_RAW || kind->source == LOADS_FROM_BOUND ||
                    kind->source == LOADS_FROM_RAW_RW || kind->width == 3;
    unsigned bytes = (unsigned)loads_bytes(kind);
    if (by_words)
        return (struct access){kind->width, WORD_BYTES};
    return kind->source == LOADS_FROM_ALIGNED8 ? (struct access){2, bytes / 2}
                                               : (struct access){1, bytes};
}

// Returns how many 32-byte sectors one access of a subgroup touches. Lane l accesses `bytes` bytes
// from byte at[l] on.
static unsigned sectors_of(const unsigned at[LANES], unsigned bytes)
{
    bool seen[SECTORS_MAX] = {false};
    unsigned sectors = 0;
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned s = at[lane] / SECTOR_BYTES; s <= (at[lane] + bytes - 1) / SECTOR_BYTES;
             s++) {
            sectors += !seen[s];
            seen[s] = true;
        }
    return sectors;
}

// Adds to *traffic the requests and sectors of one load by a subgroup. Each thread loads the
// element `after` places behind its first element.
static void add_load(const struct loads_case *this_case, struct access access, unsigned subgroup,
                     unsigned after, struct traffic *traffic)
{
    const struct loads_kind *kind = this_case->kind;
    const struct loads_start start = loads_start_of(kind, this_case->pattern);
    for (unsigned part = 0; part < access.parts; part++) {
        unsigned at[LANES];
        for (unsigned lane = 0; lane < LANES; lane++) {
            unsigned id = subgroup * LANES + lane, element = loads_first(start, id, id) + after;
            at[lane] = kind->start_bytes + (element * access.parts + part) * access.bytes;
        }
        traffic->requests++;
        traffic->sectors += sectors_of(at, access.bytes);
    }
}

static struct traffic traffic_of(const struct loads_case *this_case)
{
    const struct access access = access_of(this_case->kind);
    struct traffic traffic = {0};
    for (unsigned subgroup = 0; subgroup < SUBGROUPS; subgroup++)
        for (unsigned after = 0; after < LOADS_A_THREAD; after++)
            add_load(this_case, access, subgroup, after, &traffic);
    return traffic;
}

// Predicts the counts of shared memory with the pattern linear, with the stores that fill it before
// the loop. Other patterns may have bank conflicts.
static void claim_shared(const struct loads_case *this_case, struct measure_count_claims *claims)
{
    if (this_case->pattern != LOADS_LINEAR || loads_traits_of(this_case->kind)->atomic)
        return;
    double bytes = loads_bytes(this_case->kind);
    claims->of[GPU_COUNTER_SHARED_WAVEFRONTS] =
        (LOADS_THREADS * LOADS_A_THREAD + LOADS_ELEMENTS) * bytes / WAVEFRONT_BYTES;
    claims->of[GPU_COUNTER_SHARED_CONFLICTS] = 0;
}

static void claim_global(const struct loads_case *this_case, struct measure_count_claims *claims)
{
    const struct loads_traits *traits = loads_traits_of(this_case->kind);
    struct traffic traffic = traffic_of(this_case);
    if (traits->writes) {
        claims->of[GPU_COUNTER_L1_WRITTEN] = traffic.sectors * SECTOR_BYTES;
        return;
    }
    // At the end of the kernel, each thread also loads its expected sum, to check its result.
    double proof_bytes = LOADS_THREADS * sizeof(float);
    claims->of[GPU_COUNTER_L1_REQUESTS] = traffic.requests + SUBGROUPS;
    claims->of[GPU_COUNTER_L1_READ] = traffic.sectors * SECTOR_BYTES + proof_bytes;
}

struct measure_count_claims loads_claims(const struct loads_session *session,
                                         const struct loads_case *this_case, double groups)
{
    const struct loads_traits *traits = loads_traits_of(this_case->kind);
    const struct bench_session *bench = session->bench;
    struct measure_count_claims claims = measure_count_no_claims;
    enum loads_source source = this_case->kind->source;
    if (bench->info->vendor_id != GPU_VENDOR_NVIDIA || !this_case->peak)
        return claims;
    bool by_texture = traits->resource == LOADS_BY_TYPED || traits->resource == LOADS_BY_IMAGE;
    if (traits->shared)
        claim_shared(this_case, &claims);
    else if (by_texture && !traits->writable)
        claims.of[GPU_COUNTER_INSTRUCTIONS_TEXTURE] = SUBGROUPS * LOADS_A_THREAD;
    else if (traits->direct || source == LOADS_FROM_STORE)
        claim_global(this_case, &claims);
    for (int i = 0; i < GPU_COUNTER_COUNT; i++)
        claims.of[i] *= groups;
    if (source != LOADS_FROM_HOST && !traits->writes)
        measure_claim_held(&bench->limits, BYTES_MAX, &claims);
    // Each dispatch also loads the elements once from the L2. For direct loads, this is negligible.
    // Other kinds get no prediction.
    if (!traits->direct)
        claims.of[GPU_COUNTER_L2_READ] = NAN;
    return claims;
}
