#include "scenes.h"

namespace demo {

namespace {

constexpr float Speed = 5.2f;

// How far the tunnel has bent away from straight ahead at a depth, as seen on the picture.
// The bend levels off so slowly that a wall never hides behind itself.
Vec2 bend(float depth, float travelled) {
    const Vec2 heading = {std::sin(travelled * 0.33f), 0.7f * std::sin(travelled * 0.24f + 1.0f)};
    return heading * (0.17f * (1.0f - std::exp(-0.1f * depth)));
}

Vec3 wall_colour(Vec2 p, float travelled) {
    // The wall is met where the radius seen at its depth fits; a few rounds settle it.
    float depth = 1.0f / std::max(length(p), 0.02f);
    Vec2 off;
    for (int i = 0; i < 6; ++i) {
        off = p - bend(depth, travelled);
        depth = std::min(1.0f / std::max(length(off), 0.02f), 40.0f);
    }
    const float z = depth * 1.5f + travelled;
    const float turn = std::atan2(off.y, off.x) / (2.0f * Pi) + 0.012f * z;
    constexpr float Panels = 16.0f;
    const float u = turn * Panels;
    const float v = z * 0.8f;
    const int iu = static_cast<int>(std::floor(u));
    const int iv = static_cast<int>(std::floor(v));
    const int column = (iu % 16 + 16) % 16;
    const float fu = u - std::floor(u);
    const float fv = v - std::floor(v);
    static const Ramp hues = {{0.0f, 0x1020ff}, {0.2f, 0x8a1cff}, {0.4f, 0xff1c9a}, {0.6f, 0xff6a1c},
                              {0.75f, 0x18e0c8}, {1.0f, 0x1020ff}};
    const float zone = z * 0.045f;
    const Vec3 hue = hues(zone - std::floor(zone));
    const float id = hash(column, iv);
    const float edge_u = std::min(fu, 1.0f - fu) * (2.0f * Pi / Panels);
    const float edge_v = std::min(fv, 1.0f - fv) * 1.25f;
    const float seam = std::exp(-edge_u * 46.0f) + std::exp(-edge_v * 34.0f);
    const float panel = smooth(0.02f, 0.06f, edge_u) * smooth(0.03f, 0.08f, edge_v);
    const float lit = id > 0.72f ? 1.0f : 0.05f + 0.12f * id;
    Vec3 c = hue * (panel * lit * 0.8f) + hue * (seam * 1.2f);
    c += hex(0xffffff) * (0.35f * std::exp(-edge_u * 90.0f) * (column % 4 == 0 ? 1.0f : 0.0f));
    // A gate of light every eight panels.
    const float gate = std::abs(v - 8.0f * std::round(v / 8.0f));
    c += mix(hue, hex(0xffffff), 0.6f) * (1.6f * smooth(0.16f, 0.08f, gate));
    const float fog = std::exp(-0.17f * std::max(depth - 2.0f, 0.0f));
    const Vec3 glow = mix(hue, hex(0xfff0ff), 0.4f) * 1.1f;
    return mix(glow, c * (0.35f + 0.65f * smooth(0.3f, 2.5f, depth)), fog);
}

}  // namespace

void draw_tunnel(Canvas& canvas, float t) {
    const float roll = 0.5f * std::sin(t * 1.4f) + 0.25f * t;
    const Vec2 turn = direction(roll);
    // Four samples spread over the pixel and the exposure blur what rushes past.
    constexpr Vec2 Spread[] = {{-0.125f, -0.375f}, {0.375f, -0.125f}, {-0.375f, 0.125f}, {0.125f, 0.375f}};
    const float base = 3.0f + Speed * t * (1.0f + 0.25f * t);
    const float speed = Speed * (1.0f + 0.5f * t);
    canvas.frame.shade([&](Vec2 p) {
        const Vec2 r = {p.x * turn.x - p.y * turn.y, p.x * turn.y + p.y * turn.x};
        Vec3 sum;
        for (int i = 0; i < 4; ++i) {
            const float later = (static_cast<float>(i) + hash(static_cast<int>(p.x * 360.0f), static_cast<int>(p.y * 360.0f))) * 0.25f;
            const Vec3 c = wall_colour(r + Spread[i] * PixelSize, base + speed * later * 0.011f);
            sum += Vec3{std::min(c.x, 1.8f), std::min(c.y, 1.8f), std::min(c.z, 1.8f)};
        }
        return sum * 0.25f;
    });
    for (int i = 0; i < 260; ++i) {
        constexpr float Span = 14.0f;
        const float far = hash(i, 171) * Span - base * 1.6f;
        const float depth = far - Span * std::floor(far / Span) + 0.25f;
        const Vec2 at = direction(2.0f * Pi * hash(i, 172) + roll) * (0.25f + 0.55f * hash(i, 173));
        const Vec2 from = at * (1.0f / depth);
        const Vec2 to = at * (1.0f / (depth + 0.035f * speed));
        canvas.mask.add_capsule(from, to, 0.0045f / depth, 0.0015f / depth);
        canvas.mask.add_light(canvas.frame, hex(0xdfe8ff) * (0.9f * smooth(Span, 1.0f, depth)));
    }
    canvas.frame.bloom(0.55f, 0.4f, 8);
    canvas.frame.vignette(0.35f);
}

}  // namespace demo
