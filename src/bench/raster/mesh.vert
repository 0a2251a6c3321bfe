// SPDX-License-Identifier: MIT
// Right triangles, one in each cell of a grid, row by row. When every cell has a triangle, the next
// triangle is in the first cell again.
#version 460

layout(push_constant) uniform Params
{
    uint columns, cells;
    uint first;   // the number of the first triangle
    uint flipped; // 1: corners counter-clockwise
    float pitch, offset, leg; // in pixels: a cell's side, triangle's place in it, triangle's sides
    float pixel;              // size of a pixel, if the target is 2 wide and high
} params;

layout(location = 0) out flat uint value;

void main()
{
    uint triangle = params.first + uint(gl_VertexIndex) / 3, corner = uint(gl_VertexIndex) % 3;
    uint cell = triangle % params.cells;
    if (params.flipped != 0)
        corner = 2 - corner;
    vec2 at = vec2(cell % params.columns, cell / params.columns) * params.pitch + params.offset +
              params.leg * vec2(corner == 1, corner == 2);
    value = triangle + 1;
    gl_Position = vec4(at * params.pixel - 1.0, 0.5, 1.0);
}
