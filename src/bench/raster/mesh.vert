// SPDX-License-Identifier: MIT
// Makes right triangles, one in each cell of a grid, row by row. After the last cell, the first
// cell gets the next triangle.
#version 460

layout(push_constant) uniform Params
{
    uint columns, cells; // numbers of columns and of cells of the grid
    uint first;   // number of the first triangle
    uint flipped; // 1: corners are counter-clockwise
    // 1 + the number of the first visible triangle; those before it draw no pixel. Visible ones are
    // clockwise, with the offset `seen_offset` and the length `seen_leg`. 0: not used.
    uint seen;
    // In pixels: side of a cell; distance of the triangle's right angle from the edges of the cell;
    // length of the triangle's two shorter sides.
    float pitch, offset, leg, seen_offset, seen_leg;
    float pixel;              // size of a pixel in the target's coordinates, which go from −1 to 1
} params;

layout(location = 0) out flat uint value;

void main()
{
    uint triangle = params.first + uint(gl_VertexIndex) / 3, corner = uint(gl_VertexIndex) % 3;
    uint cell = triangle % params.cells;
    value = triangle + 1;
    bool seen = params.seen != 0 && value >= params.seen;
    if (params.flipped != 0 && !seen)
        corner = 2 - corner;
    vec2 at = vec2(cell % params.columns, cell / params.columns) * params.pitch +
              (seen ? params.seen_offset : params.offset) +
              (seen ? params.seen_leg : params.leg) * vec2(corner == 1, corner == 2);
    gl_Position = vec4(at * params.pixel - 1.0, 0.5, 1.0);
}
