// SPDX-License-Identifier: MIT
// For which stages a barrier is recorded. A software device runs commands one after another in any
// case, and the validation layer does not watch rays, so the test reads the recorded barriers.
#include "gpu/vulkan/graphics.h"
#include "gpu/vulkan/rays.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct {
    VkPipelineStageFlags2 before, after;
} recorded;

static VKAPI_ATTR void VKAPI_CALL record(VkCommandBuffer commands, const VkDependencyInfo *info)
{
    (void)commands;
    assert_int_equal(info->bufferMemoryBarrierCount + info->imageMemoryBarrierCount, 1);
    if (info->bufferMemoryBarrierCount) {
        recorded.before = info->pBufferMemoryBarriers->srcStageMask;
        recorded.after = info->pBufferMemoryBarriers->dstStageMask;
    } else {
        recorded.before = info->pImageMemoryBarriers->srcStageMask;
        recorded.after = info->pImageMemoryBarriers->dstStageMask;
    }
}

// Given a batch with rays, when a barrier for one buffer or one image is recorded, then it orders
// ray kernels and builds of trees as well.
static void barriers_of_one_object_order_rays(void **state)
{
    (void)state;
    const struct gpu_info info = {.caps = GPU_CAP(RAYS) | GPU_CAP(RAY_PIPELINE)};
    const struct vulkan_queue queue = {.stages = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT};
    struct vulkan_device device = {.info = &info, .vk.vkCmdPipelineBarrier2 = record};
    struct gpu_scope scope = {.device = &device.base};
    struct vulkan_batch batch = {.base.object.scope = &scope, .queue = &queue};
    struct vulkan_buffer buffer = {0};
    struct vulkan_image image = {0};
    struct error err;
    batch.stages = queue.stages | vulkan_ray_stages(&device);
    for (int of_image = 0; of_image < 2; of_image++) {
        assert_true(of_image ? vulkan_batch_barrier_image(&batch.base, &image.base, &err)
                             : vulkan_batch_barrier_buffer(&batch.base, &buffer.base, &err));
        assert_true(recorded.before == batch.stages);
        assert_true(recorded.after == batch.stages);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barriers_of_one_object_order_rays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
