#include "figures.h"
#include "scenes.h"

namespace demo {

namespace {

constexpr float CyclesPerSecond = 1.42f;

// Repeats `x` over a strip wider than the picture, so that scenery comes round again.
float wrap(float x, float half_span) {
    const float span = 2.0f * half_span;
    return x - span * std::floor((x + half_span) / span);
}

Body place_runner(float t, Vec2 ground, float size) {
    return place_body(run_pose(0.2f + t * CyclesPerSecond), ground, size, 1.0f);
}

void add_runner(Mask& mask, float t, Vec2 ground, float size) {
    const Body body = place_runner(t, ground, size);
    add_body(mask, body);
    add_skirt(mask, body, 0.015f, 0.04f + 0.03f * std::sin(t * CyclesPerSecond * 4.0f * Pi));
    const float wave = t * 15.0f;
    const Vec2 nape = body.head + Vec2{-0.045f, 0.02f} * size;
    for (int i = 0; i < 5; ++i) {
        const float spread = static_cast<float>(i) * 0.045f;
        add_streamer(mask, nape, Vec2{-0.25f - 0.03f * hash(i, 4), 0.07f - spread} * size, 0.019f * size, 0.12f,
                     wave + 0.5f * static_cast<float>(i));
    }
    add_streamer(mask, body.neck, Vec2{-0.62f, 0.0f} * size, 0.022f * size, 0.12f, wave * 0.9f + 2.0f);
    add_streamer(mask, body.neck, Vec2{-0.5f, -0.09f} * size, 0.02f * size, 0.13f, wave * 0.9f + 3.2f);
}

void add_petals(Mask& mask, float t, int count, float speed, float scale) {
    for (int i = 0; i < count; ++i) {
        const float near = 0.5f + hash(i, 91);
        const float x = wrap(hash(i, 92) * 4.4f - t * speed * near, 2.2f);
        const float y = -0.7f + 1.7f * hash(i, 93) + 0.07f * std::sin(t * 4.0f + 9.0f * hash(i, 94));
        const float flat = 0.25f + 0.75f * std::abs(std::sin(t * 7.0f * hash(i, 95) + static_cast<float>(i)));
        mask.add_ellipse({x, y}, 0.017f * near * scale, 0.0085f * near * flat * scale,
                         t * 5.0f * (hash(i, 96) - 0.5f) + 6.0f * hash(i, 97));
    }
}

}  // namespace

void draw_runner_red(Canvas& canvas, float t) {
    Frame& frame = canvas.frame;
    Mask& mask = canvas.mask;
    static const Ramp sky = {{0.0f, 0xff7a45}, {0.35f, 0xee3b35}, {0.7f, 0xb9152f}, {1.0f, 0x6d0a2b}};
    static const Ramp disc = {{0.0f, 0xffc98a}, {0.5f, 0xfff0d2}, {1.0f, 0xfffaf0}};
    const Vec2 sun = {0.22f - 0.03f * t, 0.12f};
    constexpr float Radius = 0.74f;
    frame.shade([&](Vec2 p) {
        const float d = length(p - sun);
        Vec3 c = sky((p.y + 0.75f) / 1.75f) + hex(0xff9050) * (0.3f * std::exp(-3.5f * std::max(d - Radius, 0.0f)));
        const float ring = smooth(0.018f, 0.0f, std::abs(d - Radius - 0.075f));
        c = mix(c, hex(0xffd9a8), ring * 0.5f);
        return mix(c, disc(0.5f + (p.y - sun.y) / (2.0f * Radius)), clamp01((Radius - d) / PixelSize + 0.5f));
    });
    std::vector<Vec2> far;
    std::vector<Vec2> near;
    for (float x = -1.9f; x <= 1.9f; x += 0.01f) {
        far.push_back({x, -0.62f + 0.34f * fbm({(x + t * 0.35f) * 1.6f, 2.0f}, 5)});
        near.push_back({x, -0.7f + 0.16f * fbm({(x + t * 0.9f) * 2.2f, 7.0f}, 5)});
    }
    mask.add_terrain(far, -1.1f);
    mask.paint(frame, hex(0xa02338));
    mask.add_terrain(near, -1.1f);
    for (int i = 0; i < 7; ++i) {
        const float x = wrap(static_cast<float>(i) * 0.74f - t * 1.1f, 2.6f);
        add_tree(mask, {x, -0.66f}, 0.75f + 0.3f * hash(i, 5), 40 + i, std::sin(t * 2.0f + static_cast<float>(i)));
    }
    mask.paint(frame, hex(0x5c1029));

    constexpr float Ground = -0.72f;
    mask.add_polygon(std::array{Vec2{-1.9f, Ground}, Vec2{1.9f, Ground}, Vec2{1.9f, -1.1f}, Vec2{-1.9f, -1.1f}});
    add_runner(mask, t, {-0.06f + 0.12f * t, Ground + 0.005f}, 1.22f);
    for (int i = 0; i < 900; ++i) {
        const float x = wrap(hash(i, 101) * 4.0f - t * 3.4f, 2.0f);
        add_grass(mask, {x, Ground - 0.01f}, 0.02f + 0.07f * hash(i, 102) * hash(i, 103), -0.9f + 0.5f * hash(i, 104));
    }
    mask.paint(frame, hex(0x14050d));
    add_petals(mask, t, 46, 3.6f, 1.0f);
    mask.paint(frame, hex(0xffe3da));
    for (int i = 0; i < 130; ++i) {
        const float x = wrap(hash(i, 111) * 5.0f - t * 5.6f, 2.5f);
        add_grass(mask, {x, -1.05f}, 0.1f + 0.26f * hash(i, 112), -1.0f + 0.5f * hash(i, 114));
    }
    mask.paint(frame, hex(0x070206));
    frame.bloom(0.75f, 0.35f, 10);
    frame.vignette(0.25f);
}

void draw_runner_night(Canvas& canvas, float t) {
    Frame& frame = canvas.frame;
    Mask& mask = canvas.mask;
    static const Ramp sky = {{0.0f, 0x0e3b63}, {0.4f, 0x0a1c4a}, {1.0f, 0x04061c}};
    frame.shade([&](Vec2 p) {
        Vec3 c = sky((p.y + 1.0f) * 0.5f);
        const float streak = noise({p.x * 0.7f + t * 9.0f, p.y * 42.0f + 3.0f * std::floor(p.y * 4.0f)});
        return c + hex(0x4fb8ff) * (0.3f * smooth(0.72f, 1.0f, streak) * smooth(0.0f, 1.0f, std::abs(p.y)));
    });
    for (int i = 0; i < 9; ++i) {
        const float x = wrap(static_cast<float>(i) * 0.9f - t * 4.2f, 4.0f);
        const float w = 0.025f + 0.05f * hash(i, 121);
        mask.add_polygon(std::array{Vec2{x - w, -1.1f}, Vec2{x + w, -1.1f}, Vec2{x + w * 0.8f, 1.1f},
                                    Vec2{x - w * 0.8f, 1.1f}});
        for (int k = 0; k < 5; ++k) {
            const float y = -0.5f + 0.36f * static_cast<float>(k);
            mask.add_capsule({x, y}, {x + 0.5f * (hash(i, k) - 0.5f), y + 0.3f}, w * 0.3f, 0.004f);
        }
    }
    mask.paint(frame, hex(0x071530));
    const Vec2 feet = {0.02f + 0.1f * t, -1.42f};
    // The same figure a moment ago, twice, as light left behind.
    for (int echo = 3; echo >= 1; --echo) {
        const float delay = 0.045f * static_cast<float>(echo);
        add_runner(mask, t - delay, feet - Vec2{2.6f * delay, 0.0f}, 2.2f);
        mask.paint(frame, hex(0x2f9cff), 0.34f / static_cast<float>(echo));
    }
    add_runner(mask, t, feet, 2.2f);
    static const Ramp body = {{0.0f, 0x7fd0ff}, {0.6f, 0xf0faff}, {1.0f, 0xffffff}};
    mask.paint_with(frame, [&](Vec2 p) { return body((p.y + 1.0f) * 0.55f) * 0.92f; });
    add_petals(mask, t, 60, 5.5f, 1.5f);
    mask.paint(frame, hex(0xff4f7a));
    frame.bloom(0.45f, 0.4f, 9);
    frame.vignette(0.3f);
}

}  // namespace demo
