// SPDX-License-Identifier: MIT
// A libvulkan.so.1 that is none: it lacks the one symbol that a loader must have.
int not_a_vulkan_loader(void);
int not_a_vulkan_loader(void)
{
    return 0;
}
