"""Tests how much a failure of hardware decoding delays a recording's first frame."""

import test_simulated_gpus


class BrokenDrivers(test_simulated_gpus.BrokenDrivers):
    MEASURES = True
