"""Tests how many frames are dropped, and the playback speed, when servers stall, disconnect and restart."""

import pathlib
import subprocess

import test_network
from servers import free_port, wait_for_listener

RTMP_MODULE = "/usr/lib/nginx/modules/ngx_rtmp_module.so"


class WebServer(test_network.WebServer):
    MEASURES = True


class Hls(test_network.Hls):
    MEASURES = True


class LiveSenders(test_network.LiveSenders):
    MEASURES = True

    def test_nginx_publisher_restart(self):
        if not pathlib.Path(RTMP_MODULE).exists():
            self.fail("nginx with its RTMP module is not installed: install libnginx-mod-rtmp")
        port = free_port()
        folder = self.here / "nginx"
        folder.mkdir()
        folder.joinpath("nginx.conf").write_text(
            f"load_module {RTMP_MODULE};\ndaemon off;\nmaster_process off;\npid {folder}/pid;\nerror_log {folder}/log;\n"
            f"events {{ worker_connections 32; }}\nrtmp {{ server {{ listen 127.0.0.1:{port}; application live {{ live on; }} }} }}\n")
        server = subprocess.Popen(["nginx", "-e", folder / "log", "-c", folder / "nginx.conf"], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        wait_for_listener(port)
        url = f"rtmp://127.0.0.1:{port}/live/video"
        sender = self.start_sender("-c:v", "copy", "-c:a", "aac", "-f", "flv", url)
        self.check_restart(sender, *self.watch(url))
