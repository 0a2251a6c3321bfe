// SPDX-License-Identifier: MIT
#version 450
layout(local_size_x = WORKGROUP_X) in;

// No arguments, no params.
void main()
{
}
