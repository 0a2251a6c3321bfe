// SPDX-License-Identifier: MIT
// A wrong libvulkan.so.1: it lacks the one symbol that a loader must have.
int not_a_vulkan_loader(void);
int not_a_vulkan_loader(void)
{
    return 0;
}
