#include "figures.h"
#include "scenes.h"

namespace demo {

namespace {

constexpr float Shore = -0.34f;

Vec3 sky(Vec2 p, float t) {
    static const Ramp night = {{0.0f, 0x4fb39a}, {0.1f, 0x23737c}, {0.26f, 0x103a5a}, {0.5f, 0x091c42}, {1.0f, 0x03061a}};
    static const Ramp curtain = {{0.0f, 0xa8ffd0}, {0.16f, 0x38f59a}, {0.4f, 0x18b8a8}, {0.68f, 0x6a48d8}, {1.0f, 0xb02a90}};
    Vec3 c = night((p.y - Shore) / 1.34f);
    for (int layer = 0; layer < 3; ++layer) {
        const float k = static_cast<float>(layer);
        const float drift = t * (0.22f + 0.07f * k);
        const float fold = 0.35f * std::sin(p.x * (1.4f + 0.5f * k) + drift * 3.0f + 2.0f * k) +
                           0.2f * std::sin(p.x * 3.7f - drift * 4.0f + k);
        const float foot = -0.02f + 0.2f * k + 0.18f * std::sin(p.x * (1.0f + 0.3f * k) + 1.7f * k + drift) + 0.28f * fold + 0.12f * noise({p.x * 9.0f + 5.0f * k, drift * 3.0f});
        const float up = p.y - foot;
        const float rays = 0.35f + 0.65f * noise({(p.x + 0.16f * fold) * (16.0f + 6.0f * k) + 30.0f * k, drift * 2.5f});
        const float patch = smooth(0.3f, 0.72f, noise({p.x * 1.7f + drift + 8.0f * k, drift * 1.5f + k}));
        const float height = 0.3f + 0.3f * rays;
        const float body = up > 0.0f ? 1.25f * std::exp(-up / height * 2.0f) * smooth(0.0f, 0.2f + 0.1f * rays, up) : 0.0f;
        c += curtain(up / 0.75f) * (body * rays * (0.06f + 0.94f * patch) * (0.85f - 0.18f * k));
    }
    return c;
}

// Poses of the dance, reached at the given seconds.
struct Step {
    float at;
    float x;
    float facing;
    Pose pose;
};

const std::vector<Step>& dance() {
    static const std::vector<Step> steps = [] {
        const Pose arabesque = {16, 10, {0, -88}, {2, 8}, {8, -58}, {118, -62}, {12, -12}, 0, 0};
        const Pose gather = {12, 4, {34, -22}, {52, 34}, {14, -20}, {40, -34}, {34, 24}, 0, 0};
        const Pose leap = {-4, -8, {92, -84}, {6, 14}, {-52, -58}, {128, -112}, {8, 4}, 0.34f, 0};
        const Pose land = {14, 8, {40, -30}, {48, 30}, {12, -40}, {70, -70}, {20, 10}, 0, 0};
        const Pose turn = {0, 0, {0, 62}, {0, 118}, {-34, -50}, {164, 158}, {24, 30}, 0, 0};
        const Pose reach = {-14, -22, {2, -34}, {2, 6}, {-30, -56}, {150, -96}, {12, 8}, 0, 0};
        return std::vector<Step>{{-0.6f, -1.0f, 1, arabesque}, {0.2f, -0.84f, 1, arabesque}, {0.56f, -0.7f, 1, gather},
                                 {0.92f, -0.2f, 1, leap},      {1.28f, 0.2f, 1, land},       {1.62f, 0.3f, 1, turn},
                                 {1.95f, 0.34f, -1, turn},     {2.28f, 0.38f, 1, turn},      {2.75f, 0.44f, 1, reach},
                                 {3.6f, 0.46f, 1, reach}};
    }();
    return steps;
}

Body dancer(float t, float size) {
    const auto& steps = dance();
    std::size_t i = 0;
    while (i + 2 < steps.size() && steps[i + 1].at <= t) {
        ++i;
    }
    const Step& a = steps[i];
    const Step& b = steps[i + 1];
    const float raw = clamp01((t - a.at) / (b.at - a.at));
    const float e = smooth(0.0f, 1.0f, raw);
    Pose pose = a.pose * (1.0f - e) + b.pose * e;
    // A jump rises fast and hangs: its height follows a parabola, not the easing of limbs.
    const float rise = b.pose.lift > 0.0f ? raw : 1.0f - raw;
    const float peak = std::max(a.pose.lift, b.pose.lift);
    pose.lift = peak * rise * (2.0f - rise);
    const float x = pose.lift > 0.0f ? mix(a.x, b.x, raw) : mix(a.x, b.x, e);
    return place_body(pose, {x, Shore - 0.13f}, size, mix(a.facing, b.facing, e));
}

void add_dancer(Mask& mask, float t, float size) {
    const Body body = dancer(t, size);
    const Body before = dancer(t - 0.07f, size);
    add_body(mask, body);
    mask.add_disc(body.head + Vec2{-0.045f * body.facing, 0.042f} * size, 0.027f * size);
    const float swing = (body.pelvis.x - before.pelvis.x) * 0.9f + 0.03f * std::abs(body.facing - before.facing);
    add_skirt(mask, body, 0.045f + 0.05f * std::abs(body.facing - before.facing), swing);
}

// The ribbon keeps the way the hand has gone, drifting and curling as it falls behind.
void add_ribbon(Mask& mask, float t, float size) {
    Stroke ribbon;
    for (int i = 0; i < 60; ++i) {
        const float age = static_cast<float>(i) * 0.016f;
        const Vec2 hand = dancer(t - age, size).hand[0];
        const float loose = smooth(0.0f, 0.3f, age);
        const float curl = age * 17.0f - t * 9.0f;
        ribbon.push_back(hand + Vec2{-0.5f * age + 0.075f * loose * std::cos(curl),
                                     -0.1f * age + 0.09f * loose * std::sin(curl)});
    }
    mask.add_stroke(ribbon, 0.011f * size, 0.004f * size);
}

}  // namespace

void draw_aurora(Canvas& canvas, float t) {
    Frame& frame = canvas.frame;
    Mask& mask = canvas.mask;
    frame.shade([&](Vec2 p) { return p.y > Shore ? sky(p, t) : Vec3{}; });
    for (int i = 0; i < 620; ++i) {
        const Vec2 at = {(hash(i, 181) * 2.0f - 1.0f) * 1.8f, Shore + 1.4f * std::sqrt(hash(i, 182))};
        const float size = std::pow(hash(i, 183), 4.0f);
        const float twinkle = 0.6f + 0.4f * std::sin(t * 6.0f * hash(i, 184) + 30.0f * hash(i, 185));
        mask.add_disc(at, 0.0013f + 0.0035f * size);
        mask.add_light(frame, hex(0xe0f0ff) * (twinkle * (0.25f + 0.75f * size)));
    }
    const Vec3 tones[] = {hex(0x2a7478), hex(0x174c5a)};
    for (int layer = 0; layer < 2; ++layer) {
        std::vector<Vec2> range;
        for (float x = -1.9f; x <= 1.9f; x += 0.008f) {
            const float shape = std::abs(noise({x * 1.7f + 5.0f * layer + 0.02f * t, 1.0f}) - 0.5f) * 2.0f;
            const float rough = fbm({x * 6.0f + 9.0f * layer, 4.0f}, 5);
            range.push_back({x, Shore + (0.4f - 0.16f * layer) * (1.0f - shape) * (0.55f + 0.5f * rough)});
        }
        mask.add_terrain(range, Shore);
        mask.paint(frame, tones[layer]);
    }
    for (int i = 0; i < 190; ++i) {
        const float x = -1.85f + 3.7f * hash(i, 191);
        const float side = smooth(0.75f, 1.8f, std::abs(x + 0.1f));
        add_pine(mask, {x, Shore - 0.004f}, 0.03f + 0.045f * hash(i, 192) + 0.32f * side * hash(i, 193), i);
    }
    mask.add_polygon(std::array{Vec2{-1.9f, Shore}, Vec2{1.9f, Shore}, Vec2{1.9f, Shore + 0.018f}, Vec2{-1.9f, Shore + 0.018f}});
    mask.paint(frame, hex(0x020a10));

    for (int y = 0; y < Height; ++y) {
        const float v = Frame::position(0.0f, y + 0.5f).y;
        if (v >= Shore) {
            continue;
        }
        const float depth = Shore - v;
        for (int x = 0; x < Width; ++x) {
            const float u = Frame::position(x + 0.5f, 0.0f).x;
            const float ripple = noise({u * 3.0f / (0.15f + depth), 40.0f * std::log(0.08f + depth) + t * 2.0f}) - 0.5f;
            const float up = Shore + depth * 1.25f + ripple * 0.16f * depth;
            const int sy = std::clamp(static_cast<int>((1.0f - up) / PixelSize), 0, Height - 1);
            const int sx = std::clamp(x + static_cast<int>(ripple * 14.0f * depth), 0, Width - 1);
            frame.at(x, y) = frame.at(sx, sy) * (0.78f - 0.45f * depth) + hex(0x02060c);
        }
    }
    constexpr float Size = 0.86f;
    // The water returns the dancer upside down, fainter the deeper it goes.
    Mask upright;
    add_dancer(upright, t, Size);
    const float level = Shore - 0.13f;
    upright.resolve([&](int x, int y, float cover) {
        const Vec2 p = Frame::position(x + 0.5f, y + 0.5f);
        const float down = p.y - level;
        const int row = static_cast<int>((1.0f - (level - down * 0.8f)) / PixelSize);
        const int shift = static_cast<int>(3.0f * std::sin(down * 60.0f + t * 5.0f) * clamp01(down * 3.0f));
        if (row >= 0 && row < Height) {
            Vec3& pixel = frame.at(std::clamp(x + shift, 0, Width - 1), row);
            pixel = mix(pixel, hex(0x010408), cover * 0.75f * std::exp(-1.4f * std::max(down, 0.0f)));
        }
    });
    add_dancer(mask, t, Size);
    mask.paint(frame, hex(0x010307));
    add_ribbon(mask, t, Size);
    mask.paint(frame, hex(0xff3f78) * 1.3f);
    frame.bloom(0.4f, 0.5f, 12);
    frame.vignette(0.3f);
}

}  // namespace demo
