"""Tests how much a failure of hardware decoding delays a recording's first frame."""

import test_record


class BrokenDrivers(test_record.BrokenDrivers):
    MEASURES = True
