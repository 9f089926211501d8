"""Playing from servers that stall, break off and come back: that hardly a frame is lost, and the speed."""

import test_network


class WebServer(test_network.WebServer):
    MEASURES = True


class Hls(test_network.Hls):
    MEASURES = True


class Senders(test_network.Senders):
    MEASURES = True
