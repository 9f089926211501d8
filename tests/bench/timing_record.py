"""The delay of a recording's first frame if hardware decoding fails."""

import test_record


class BrokenDrivers(test_record.BrokenDrivers):
    MEASURES = True
