// SPDX-License-Identifier: MIT
// Descriptor sets of a batch. Descriptor pools are created as needed while the batch is recorded.
// They are used again after a reset of the batch.
#include "gpu/vulkan/api.h"

enum {
    FIRST_POOL_SETS = 16,
    LARGEST_POOL_SETS = 1024
};

static bool add_pool(const struct vulkan_device *device, struct vulkan_batch *batch,
                     struct error *err)
{
    struct vulkan_descriptors *d = &batch->descriptors;
    uint32_t sets = FIRST_POOL_SETS;
    for (size_t i = 0; i < d->count && sets < LARGEST_POOL_SETS; i++)
        sets *= 2;
    VkDescriptorPoolSize sizes[GPU_ARG_KIND_COUNT];
    uint32_t size_count = 0;
    for (unsigned kind = 0; kind < GPU_ARG_KIND_COUNT; kind++)
        if (kind != GPU_ARG_ADDRESS)
            sizes[size_count++] = (VkDescriptorPoolSize){
                .type = vulkan_descriptor_type((enum gpu_arg_kind)kind),
                .descriptorCount = sets * GPU_ARGS_MAX,
            };
    VkDescriptorPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = sets,
        .poolSizeCount = size_count,
        .pPoolSizes = sizes,
    };
    d->pools =
        arena_grow(device->base.arena, d->pools, d->count, &d->capacity, sizeof(VkDescriptorPool));
    VkResult result =
        device->vk.vkCreateDescriptorPool(device->handle, &info, NULL, &d->pools[d->count]);
    if (result != VK_SUCCESS)
        return vulkan_error(err, result, "descriptor pool of %u sets", sets);
    d->count++;
    return true;
}

static bool allocate(const struct vulkan_device *device, struct vulkan_batch *batch,
                     VkDescriptorSetLayout layout, VkDescriptorSet *set, struct error *err)
{
    struct vulkan_descriptors *d = &batch->descriptors;
    for (bool fresh = false;;) {
        if (d->current == d->count) {
            if (!add_pool(device, batch, err))
                return false;
            fresh = true;
        }
        VkDescriptorSetAllocateInfo info = {
            .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
            .descriptorPool = d->pools[d->current],
            .descriptorSetCount = 1,
            .pSetLayouts = &layout,
        };
        VkResult result = device->vk.vkAllocateDescriptorSets(device->handle, &info, set);
        if (result == VK_SUCCESS)
            return true;
        bool full = result == VK_ERROR_OUT_OF_POOL_MEMORY || result == VK_ERROR_FRAGMENTED_POOL;
        if (!full || fresh)
            return vulkan_error(err, result, "vkAllocateDescriptorSets");
        d->current++;
    }
}

struct writes {
    VkWriteDescriptorSet writes[GPU_ARGS_MAX];
    VkDescriptorBufferInfo buffers[GPU_ARGS_MAX];
    VkDescriptorImageInfo images[GPU_ARGS_MAX];
    uint32_t count;
};

static void add_write(struct writes *w, enum gpu_arg_kind kind, const struct gpu_arg *arg)
{
    VkWriteDescriptorSet *write = &w->writes[w->count];
    VkDescriptorImageInfo *image = &w->images[w->count];
    VkDescriptorBufferInfo *buffer = &w->buffers[w->count];
    *write = (VkWriteDescriptorSet){
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstBinding = w->count++,
        .descriptorCount = 1,
        .descriptorType = vulkan_descriptor_type(kind),
        .pBufferInfo = buffer,
        .pImageInfo = image,
    };
    if (kind == GPU_ARG_BUFFER || kind == GPU_ARG_CONSTANT) {
        *buffer = (VkDescriptorBufferInfo){.buffer = ((struct vulkan_buffer *)arg->buffer)->handle,
                                           .offset = arg->offset,
                                           .range = arg->bytes};
    } else if (kind == GPU_ARG_TYPED || kind == GPU_ARG_TYPED_RW) {
        write->pTexelBufferView = &((struct vulkan_typed *)arg->typed)->view;
    } else {
        const struct vulkan_image *source = (const struct vulkan_image *)arg->image;
        *image = (VkDescriptorImageInfo){.imageView = source->view, .imageLayout = source->layout};
        if (kind == GPU_ARG_SAMPLED)
            image->sampler = ((struct vulkan_sampler *)arg->sampler)->handle;
    }
}

bool vulkan_descriptors_take(struct vulkan_batch *batch, VkDescriptorSetLayout layout,
                             const struct vulkan_bindings *bindings, VkDescriptorSet *set,
                             struct error *err)
{
    const struct vulkan_device *device = vulkan_batch_device(batch);
    const struct gpu_kernel *kernel = bindings->kernel;
    if (!allocate(device, batch, layout, set, err))
        return false;
    struct writes w = {.count = 0};
    for (unsigned i = 0; i < kernel->arg_count; i++)
        if (kernel->args[i] != GPU_ARG_ADDRESS)
            add_write(&w, kernel->args[i], &bindings->args[i]);
    for (uint32_t i = 0; i < w.count; i++)
        w.writes[i].dstSet = *set;
    device->vk.vkUpdateDescriptorSets(device->handle, w.count, w.writes, 0, NULL);
    return true;
}

void vulkan_descriptors_reset(const struct vulkan_device *device,
                              struct vulkan_descriptors *descriptors)
{
    for (size_t i = 0; i < descriptors->count; i++)
        device->vk.vkResetDescriptorPool(device->handle, descriptors->pools[i], 0);
    descriptors->current = 0;
}

void vulkan_descriptors_fini(const struct vulkan_device *device,
                             struct vulkan_descriptors *descriptors)
{
    for (size_t i = 0; i < descriptors->count; i++)
        device->vk.vkDestroyDescriptorPool(device->handle, descriptors->pools[i], NULL);
}
