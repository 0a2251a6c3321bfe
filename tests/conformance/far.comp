// SPDX-License-Identifier: MIT
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
layout(local_size_x = WORKGROUP_X) in;

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Word { uint word; };
layout(push_constant) uniform Params
{
    uvec2 far;
    uint low, high; // the byte within `far`, 64 bits
    uint value;
};
layout(set = 0, binding = 0) writeonly buffer Seen { uint seen[]; };

// Reads the word at a byte that may lie beyond 4 GiB, then replaces it by value.
void main()
{
    uint carry;
    uint place = uaddCarry(far.x, low, carry);
    Word word = Word(uvec2(place, far.y + high + carry));
    seen[0] = word.word;
    word.word = value;
}
