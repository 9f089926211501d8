// Draws and plays the demo clip: `make_demo video` writes raw 1280x720 yuv420p frames to the
// standard output, `make_demo music` writes raw 16-bit stereo sound at 48 kHz.
#include "canvas.h"
#include "music.h"
#include "scenes.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

namespace {

struct Shot {
    int first_frame;
    void (*draw)(demo::Canvas&, float);
};

// Every cut falls on a beat: the music has a bar of 90 frames.
constexpr Shot Shots[] = {
    {0, demo::draw_dusk},          {90, demo::draw_title},    {180, demo::draw_runner_red},
    {225, demo::draw_runner_night}, {270, demo::draw_knot},    {360, demo::draw_city},
    {450, demo::draw_tunnel},      {540, demo::draw_aurora},  {630, demo::draw_end_card},
};
constexpr int FrameCount = 720;

void render(demo::Canvas& canvas, int number, std::vector<std::uint8_t>& out) {
    const Shot* shot = Shots;
    for (const Shot& candidate : Shots) {
        if (candidate.first_frame <= number) {
            shot = &candidate;
        }
    }
    shot->draw(canvas, static_cast<float>(number - shot->first_frame) / demo::FrameRate);
    canvas.frame.write_yuv(out, number);
}

bool write_video(int first, int last, int step) {
    struct Worker {
        demo::Canvas canvas;
        std::vector<std::uint8_t> picture;
    };
    const int count = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    std::vector<std::unique_ptr<Worker>> workers;
    for (int i = 0; i < count; ++i) {
        workers.push_back(std::make_unique<Worker>());
    }
    for (int begin = first; begin < last; begin += count * step) {
        std::vector<std::thread> threads;
        for (int i = 0; i < count && begin + i * step < last; ++i) {
            Worker& worker = *workers[i];
            threads.emplace_back([&worker, number = begin + i * step] { render(worker.canvas, number, worker.picture); });
        }
        for (std::size_t i = 0; i < threads.size(); ++i) {
            threads[i].join();
        }
        for (std::size_t i = 0; i < threads.size(); ++i) {
            const auto& picture = workers[i]->picture;
            if (std::fwrite(picture.data(), 1, picture.size(), stdout) != picture.size()) {
                return false;
            }
        }
    }
    return std::fflush(stdout) == 0;
}

bool write_music() {
    const std::vector<std::int16_t> samples = demo::make_music(FrameCount / static_cast<double>(demo::FrameRate));
    return std::fwrite(samples.data(), sizeof samples[0], samples.size(), stdout) == samples.size() &&
           std::fflush(stdout) == 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc >= 2 && std::strcmp(argv[1], "video") == 0) {
        // A range and a step may follow, to look at a part while working on it.
        const int first = argc > 2 ? std::atoi(argv[2]) : 0;
        const int last = argc > 3 ? std::atoi(argv[3]) : FrameCount;
        const int step = argc > 4 ? std::max(1, std::atoi(argv[4])) : 1;
        return write_video(first, last, step) ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    if (argc == 2 && std::strcmp(argv[1], "music") == 0) {
        return write_music() ? EXIT_SUCCESS : EXIT_FAILURE;
    }
    std::fputs("usage: make_demo video [FIRST LAST [STEP]] | music\n", stderr);
    return EXIT_FAILURE;
}
