# SPDX-License-Identifier: MIT
"""What circles.py and users.py find and what has not been mended yet. A line goes with its finding,
and nothing new comes in."""

CIRCLES = (
    "bench/launch/launch bench/launch/visit",
    "gpu/batch gpu/device gpu/scope",
    "gpu/cuda/device gpu/cuda/memory",
    "gpu/opencl/batch gpu/opencl/submit",
    "gpu/vulkan/draw gpu/vulkan/record",
    "sensors/clocks sensors/clocks_amdgpu sensors/clocks_nvml",
)

HEADERS = (
    "gpu/model/backend.h",
    "gpu/model/execute.h",
    "gpu/model/host.h",
    "gpu/model/members.h",
    "gpu/model/memory.h",
    "gpu/model/places.h",
    "gpu/opencl/batch.h",
    "gpu/tables.h",
    "report/cross_console.h",
    "report/notes.h",
    "report/page.h",
)


def covers(exception, text):
    """A circle that lost some of its files is no new one."""
    return set(text.split()) <= set(exception.split())


def compare(found, exceptions, what):
    """(what was found and is no exception, warnings of exceptions that were not found)."""
    return ([f"{text}: {what}" for text in found
             if not any(covers(one, text) for one in exceptions)],
            [f"{one}: mended; take it out of tests/lint/known.py" for one in exceptions
             if not any(covers(one, text) for text in found)])
