# SPDX-License-Identifier: MIT
"""What circles.py and users.py find and what has not been mended yet. A line goes with its finding,
and nothing new comes in."""

CIRCLES = ()

HEADERS = ()


def compare(found, exceptions, what):
    """(what was found and is no exception, warnings of exceptions that were not found)."""
    return ([f"{text}: {what}" for text in found if text not in exceptions],
            [f"{text}: mended; take it out of tests/lint/known.py" for text in exceptions
             if text not in found])
