"""How much later a recording begins where decoding by hardware fails."""

import test_record


class BrokenDrivers(test_record.BrokenDrivers):
    MEASURES = True
