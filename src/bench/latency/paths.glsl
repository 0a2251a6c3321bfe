// SPDX-License-Identifier: MIT
// The hardware paths of a load, one for each -DPATH_…: what a link is, and how to follow it.
//
//   LINK                  the type: a 64-bit address (with -DPOINTER), an index, a texel's place
//   link_at(place)        the link to a place
//   follow(link)          one hop: the load that is measured (the control has none)
//   link_add(link, word)  the link plus a word that is 0
//   link_word(link)       one 32-bit word of the link
//   CHASERS               true in the lanes of the subgroup that chase
//
// The first link decides whether vector or scalar units do the loads: with -DUNIFORM the compiler
// sees that all lanes have the same link; otherwise the link depends on the lane's number.
#if defined(PATH_CONSTANT)
layout(set = 0, binding = 0, std140) uniform Region
{
    uvec4 units[65536 / 16];
};
#define OUT_BINDING 1
#elif defined(PATH_TEXEL)
layout(set = 0, binding = 0) uniform utextureBuffer region;
#define OUT_BINDING 1
#elif defined(PATH_IMAGE)
layout(set = 0, binding = 0) uniform utexture2D region;
#define OUT_BINDING 1
#elif defined(PATH_SHARED)
shared uint words[SHARED_BYTES / 4];
#define OUT_BINDING 0
#elif defined(POINTER) || defined(PATH_CONTROL)
#define OUT_BINDING 0
#elif defined(WRITES)
layout(set = 0, binding = 0, std430) buffer Region
{
    uint words[];
};
#define OUT_BINDING 1
#else
layout(set = 0, binding = 0, std430) readonly buffer Region
{
    uint words[];
};
#define OUT_BINDING 1
#endif

// Only one lane of the first subgroup chases, because more lanes would change the time: on Hopper,
// a load of 8 bytes from one address takes 34.2 cycles with 32 lanes and 32.2 with one. Atomics of
// all lanes to one word would queue. If loads must be uniform (-DUNIFORM), all lanes chase.
#if defined(UNIFORM)
#define CHASERS true
#else
#define CHASERS (gl_SubgroupInvocationID == 0u)
#endif

#if defined(POINTER)

#define LINK uint64_t
LINK link_at(uvec2 place)
{
    return place_address(place);
}
#if defined(ATOMIC)
LINK follow(LINK link)
{
    return atomicAdd(Link(link).next, uint64_t(params.zero));
}
#else
LINK follow(LINK link)
{
    return Link(link).next;
}
#endif
LINK link_add(LINK link, uint word)
{
    return link + uint64_t(word);
}
uint link_word(LINK link)
{
    return uint(link);
}
uvec2 link_words(LINK link)
{
    return uvec2(uint(link), uint(link >> 32));
}

#elif defined(PATH_IMAGE)

#define LINK uvec2
LINK link_at(uvec2 place)
{
    return place_texel(place);
}
LINK follow(LINK link)
{
    return texelFetch(region, ivec2(link), 0).xy;
}
LINK link_add(LINK link, uint word)
{
    return link + uvec2(word);
}
uint link_word(LINK link)
{
    return link.x ^ link.y;
}
uvec2 link_words(LINK link)
{
    return link;
}

#else

#define LINK uint
LINK link_at(uvec2 place)
{
    return place_word(place) >> params.link_shift;
}
#if !defined(PATH_CONTROL)
LINK follow(LINK link)
{
#if defined(ATOMIC)
    return atomicAdd(words[link], params.zero);
#elif defined(PATH_CONSTANT)
    return units[link].x;
#elif defined(PATH_TEXEL)
    return texelFetch(region, int(link)).x;
#else
    return words[link];
#endif
}
#endif
LINK link_add(LINK link, uint word)
{
    return link + word;
}
uint link_word(LINK link)
{
    return link;
}
uvec2 link_words(LINK link)
{
    return uvec2(link, 0u);
}

#endif
