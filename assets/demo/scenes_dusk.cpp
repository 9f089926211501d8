#include "figures.h"
#include "scenes.h"

namespace demo {

namespace {

constexpr float Horizon = -0.4f;

float ridge_height(float x) {
    const float hill = 0.27f * smooth(-1.7f, 0.7f, x) - 0.1f * smooth(0.7f, 1.9f, x);
    return -0.8f + hill + 0.03f * std::sin(x * 4.1f + 0.6f) + 0.012f * std::sin(x * 11.0f);
}

Vec3 sky(Vec2 p, Vec2 sun, float t) {
    static const Ramp air = {{0.0f, 0xffcf7d}, {0.1f, 0xff9c56}, {0.25f, 0xea5a52}, {0.45f, 0xa03a6b},
                             {0.7f, 0x4a2568}, {1.0f, 0x1a1440}};
    static const Ramp disc = {{0.0f, 0xff5a3c}, {0.45f, 0xffa24a}, {1.0f, 0xfff3c8}};
    constexpr float Radius = 0.5f;
    const Vec2 to_sun = p - sun;
    const float d = length(to_sun);
    Vec3 c = air((p.y - Horizon) / 1.4f);
    c += hex(0xff8040) * (0.55f * std::exp(-2.6f * std::max(d - Radius, 0.0f)));
    const float inside = clamp01((Radius - d) / PixelSize + 0.5f);
    c = mix(c, disc(0.5f + to_sun.y / (2.0f * Radius)) * 1.25f, inside);
    // Thin bars of cloud, lit where they lie close to the sun.
    const float cover = fbm({p.x * 0.9f + t * 0.05f + 4.0f, p.y * 6.5f}, 5);
    const float bars = smooth(0.5f, 0.72f, cover + 0.16f * std::sin(p.y * 9.0f + 1.0f));
    const Vec3 lit = mix(hex(0x5a2a5c), hex(0xffb070), std::exp(-1.9f * std::max(d - Radius * 0.8f, 0.0f)));
    const float low = 1.0f - smooth(0.25f, 1.0f, p.y);
    return mix(c, mix(lit, hex(0xb8483f), inside * 0.75f), bars * (0.25f + 0.6f * low));
}

}  // namespace

void draw_dusk(Canvas& canvas, float t) {
    Frame& frame = canvas.frame;
    Mask& mask = canvas.mask;
    const Vec2 sun = {0.42f, 0.06f - 0.03f * t};
    frame.shade([&](Vec2 p) {
        if (p.y > Horizon) {
            return sky(p, sun, t);
        }
        // The sea repeats the sky, broken into ripples that widen towards the viewer.
        const float depth = Horizon - p.y;
        const float scale = 0.05f + depth;
        const float ripple = noise({p.x * 2.2f / scale, 3.4f * std::log(scale) * 6.0f + t * 1.6f}) - 0.5f;
        const Vec2 mirrored = {p.x + ripple * 0.25f * scale, Horizon + depth * 1.6f + std::abs(ripple) * 0.35f};
        const Vec3 c = sky(mirrored, sun, t) * 0.62f;
        const float path = std::exp(-std::pow((p.x - sun.x) / (0.22f + depth * 0.5f), 2.0f));
        return c + hex(0xffc070) * (path * smooth(0.06f, 0.34f, ripple) * 1.1f);
    });

    for (int layer = 0; layer < 2; ++layer) {
        std::vector<Vec2> hills;
        for (float x = -1.9f; x <= 1.9f; x += 0.01f) {
            const float away = layer == 0 ? smooth(0.5f, -1.9f, x) : smooth(1.0f, 1.9f, x);
            const float bumps = fbm({x * 3.0f + 10.0f * layer, 0.5f}, 5);
            hills.push_back({x, Horizon - 0.02f + away * (0.1f + 0.3f * bumps)});
        }
        mask.add_terrain(hills, Horizon - 0.002f);
        mask.paint(frame, layer == 0 ? hex(0x6b2a52) : hex(0x54234c));
    }

    for (int i = 0; i < 17; ++i) {
        const float rank = static_cast<float>(i);
        const float size = mix(0.05f, 0.125f, hash(i, 2));
        const float x = 1.0f + 0.13f * rank * (0.6f + 0.5f * hash(i, 3)) - t * (0.42f + 2.6f * size);
        const float y = 0.34f + 0.5f * (hash(i, 4) - 0.4f) + 0.03f * std::sin(t * 2.0f + rank);
        add_bird(mask, {x, y}, size, t * (1.5f + 0.5f * hash(i, 6)) + hash(i, 5), 0.12f * std::sin(t + rank));
    }
    mask.paint(frame, hex(0x1c0e26));

    std::vector<Vec2> ridge;
    for (float x = -1.9f; x <= 1.9f; x += 0.01f) {
        ridge.push_back({x, ridge_height(x)});
    }
    mask.add_terrain(ridge, -1.1f);
    const float x = -0.12f + 0.19f * t;
    const float size = 0.56f;
    const Body body = place_body(walk_pose(0.18f + t * 0.88f), {x, ridge_height(x) - 0.005f}, size, 1.0f);
    add_body(mask, body);
    add_skirt(mask, body, 0.03f, 0.03f + 0.02f * std::sin(t * 5.0f));
    add_streamer(mask, body.neck, Vec2{-0.34f, 0.05f}, 0.016f, 0.16f, t * 7.0f);
    add_streamer(mask, body.neck, Vec2{-0.27f, -0.01f}, 0.014f, 0.16f, t * 7.0f + 1.3f);
    add_tree(mask, {-1.42f, ridge_height(-1.42f) - 0.02f}, 1.35f, 77, 0.8f * std::sin(t * 1.3f));
    for (int i = 0; i < 1500; ++i) {
        const float at = -1.85f + 3.7f * hash(i, 21);
        const float wind = 0.5f + 0.5f * noise({at * 1.5f - t * 1.3f, 3.0f});
        const float tall = 0.02f + 0.075f * hash(i, 22) * hash(i, 23);
        add_grass(mask, {at, ridge_height(at) - 0.01f}, tall, -0.9f * wind + 0.7f * (hash(i, 24) - 0.4f));
    }
    mask.paint(frame, hex(0x150b1e));
    for (int i = 0; i < 240; ++i) {
        const float at = -1.85f + 3.7f * hash(i, 31);
        const float edge = std::abs(at - 0.2f) / 1.8f;
        const float wind = 0.5f + 0.5f * noise({at * 1.2f - t * 1.6f, 9.0f});
        add_grass(mask, {at, -1.04f}, 0.12f + edge * 0.5f * hash(i, 32),
                  -0.75f * wind + 0.6f * (hash(i, 34) - 0.4f));
    }
    mask.paint(frame, hex(0x08050d));
    frame.bloom(0.55f, 0.55f, 14);
    frame.vignette(0.25f);
}

}  // namespace demo
