"""Playing from servers that stall, break off and come back: that hardly a frame is lost, and the speed."""

import pathlib
import subprocess

import test_network
from servers import free_port, wait_for_listener

RTMP_MODULE = "/usr/lib/nginx/modules/ngx_rtmp_module.so"


class WebServer(test_network.WebServer):
    MEASURES = True


class Hls(test_network.Hls):
    MEASURES = True


class Senders(test_network.Senders):
    MEASURES = True

    def test_nginx_whose_publisher_starts_over(self):
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
        url = f"rtmp://127.0.0.1:{port}/live/film"
        sender = self.sends("-c:v", "copy", "-c:a", "aac", "-f", "flv", url)
        self.comes_back(sender, *self.watch(url))
