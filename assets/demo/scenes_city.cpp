#include "figures.h"
#include "scenes.h"

namespace demo {

namespace {

constexpr float Street = -0.52f;
constexpr Vec2 LampHead = {-0.78f, 0.2f};

void add_box(Mask& mask, float left, float bottom, float right, float top) {
    mask.add_polygon(std::array{Vec2{left, bottom}, Vec2{right, bottom}, Vec2{right, top}, Vec2{left, top}});
}

// One row of towers with their lit windows; nearer rows are larger and darker.
void draw_towers(Canvas& canvas, int row, float shift) {
    Frame& frame = canvas.frame;
    Mask& mask = canvas.mask;
    const float scale = 0.55f + 0.33f * static_cast<float>(row);
    const Vec3 wall = mix(hex(0x1d2547), hex(0x080a18), static_cast<float>(row));
    static const Ramp lamps = {{0.0f, 0xffb454}, {0.45f, 0xffdd94}, {0.7f, 0xfff3d8}, {0.85f, 0x8fd8ff}, {1.0f, 0xff6fae}};
    float x = -2.1f - shift;
    for (int i = 0; x < 1.9f; ++i) {
        const int key = row * 100 + i;
        const float wide = scale * (0.17f + 0.16f * hash(key, 131));
        const float top = Street + scale * (0.62f + 0.95f * hash(key, 132) * hash(key, 133)) - 0.2f * static_cast<float>(row);
        add_box(mask, x, Street, x + wide, top);
        if (hash(key, 134) > 0.5f) {
            add_box(mask, x + wide * 0.2f, top, x + wide * 0.75f, top + 0.05f * scale);
            mask.add_capsule({x + wide * 0.5f, top}, {x + wide * 0.5f, top + 0.17f * scale}, 0.004f, 0.002f);
        }
        mask.paint(frame, wall);
        const float pitch_x = 0.03f * scale;
        const float pitch_y = 0.043f * scale;
        const int columns = static_cast<int>((wide - 0.02f) / pitch_x);
        const int floors = static_cast<int>((top - Street - 0.03f) / pitch_y);
        const float margin = (wide - static_cast<float>(columns) * pitch_x) * 0.5f;
        const float busy = 0.25f + 0.4f * hash(key, 135);
        for (int f = 0; f < floors; ++f) {
            for (int c = 0; c < columns; ++c) {
                const int window = key * 4096 + f * 64 + c;
                if (hash(window, 136) > busy) {
                    continue;
                }
                const float left = x + margin + static_cast<float>(c) * pitch_x + pitch_x * 0.2f;
                const float low = top - 0.02f - static_cast<float>(f + 1) * pitch_y + pitch_y * 0.25f;
                add_box(mask, left, low, left + pitch_x * 0.6f, low + pitch_y * 0.55f);
                mask.paint(frame, lamps(hash(window, 137)) * (0.15f + (0.3f + 0.2f * static_cast<float>(row)) * hash(window, 138)));
            }
        }
        x += wide + scale * 0.02f * hash(key, 139);
    }
}

void draw_train(Canvas& canvas, float t) {
    Frame& frame = canvas.frame;
    Mask& mask = canvas.mask;
    constexpr float Deck = -0.17f;
    add_box(mask, -1.9f, Deck - 0.035f, 1.9f, Deck);
    for (int i = 0; i < 6; ++i) {
        const float x = -1.55f + 0.66f * static_cast<float>(i);
        add_box(mask, x - 0.022f, Street, x + 0.022f, Deck);
        mask.add_capsule({x - 0.1f, Deck - 0.03f}, {x, Deck - 0.13f}, 0.01f, 0.01f);
        mask.add_capsule({x + 0.1f, Deck - 0.03f}, {x, Deck - 0.13f}, 0.01f, 0.01f);
    }
    mask.paint(frame, hex(0x04050b));
    constexpr int Cars = 7;
    constexpr float CarLength = 1.02f;
    const float nose = -2.3f + 4.2f * t;
    for (int car = 0; car < Cars; ++car) {
        const float right = nose - CarLength * static_cast<float>(car);
        const float left = right - CarLength + 0.025f;
        if (left > 1.9f || right < -1.9f) {
            continue;
        }
        add_box(mask, left, Deck + 0.012f, right - (car == 0 ? 0.06f : 0.0f), Deck + 0.17f);
        if (car == 0) {
            mask.add_ellipse({right - 0.07f, Deck + 0.088f}, 0.08f, 0.078f, 0.0f);
        }
        mask.paint(frame, hex(0x2a3350));
        for (int w = 0; w < 9; ++w) {
            const float x = left + 0.06f + 0.105f * static_cast<float>(w);
            // The windows smear along the way they move during one exposure.
            add_box(mask, x - 0.012f, Deck + 0.075f, x + 0.085f, Deck + 0.142f);
            mask.paint(frame, hex(0xffe3a0) * 1.15f);
            if (hash(car * 16 + w, 141) > 0.45f) {
                mask.add_disc({x + 0.03f, Deck + 0.103f}, 0.014f);
                add_box(mask, x + 0.008f, Deck + 0.075f, x + 0.052f, Deck + 0.09f);
                mask.paint(frame, hex(0x5a3c28), 0.85f);
            }
        }
        add_box(mask, left, Deck + 0.04f, right, Deck + 0.052f);
        mask.paint(frame, hex(0xff4a5e));
    }
    if (nose < 2.4f) {
        const Vec2 head = {nose, Deck + 0.06f};
        mask.add_disc(head, 0.016f);
        mask.add_light(frame, hex(0xffffff) * 2.5f);
        mask.add_polygon(std::array{head, head + Vec2{1.0f, 0.14f}, head + Vec2{1.0f, -0.12f}});
        mask.resolve([&](int x, int y, float cover) {
            const float away = Frame::position(x + 0.5f, 0.0f).x - head.x;
            frame.at(x, y) += hex(0xfff2cc) * (cover * 0.22f * std::exp(-3.5f * away));
        });
    }
}

void draw_walker(Canvas& canvas, float t) {
    Mask& mask = canvas.mask;
    const Body body = place_body(walk_pose(0.1f + t * 0.95f), {-1.3f + 0.27f * t, -0.66f}, 0.7f, 1.0f);
    Body holding = body;
    const Vec2 grip = body.chest + Vec2{0.075f, 0.02f};
    holding.elbow[1] = body.chest + Vec2{0.0f, -0.08f};
    holding.hand[1] = grip;
    add_body(mask, holding);
    add_skirt(mask, holding, 0.035f, 0.03f);
    const Vec2 top = grip + Vec2{0.0f, 0.29f};
    mask.add_capsule(grip + Vec2{0.0f, -0.03f}, top + Vec2{0.0f, 0.03f}, 0.006f, 0.004f);
    std::vector<Vec2> canopy;
    for (int i = 0; i <= 32; ++i) {
        canopy.push_back(top + Vec2{std::cos(Pi * i / 32.0f) * 0.27f, std::sin(Pi * i / 32.0f) * 0.135f - 0.11f});
    }
    for (int i = 1; i < 32; ++i) {
        const float along = static_cast<float>(i) / 32.0f;
        canopy.push_back(top + Vec2{mix(-0.27f, 0.27f, along), -0.11f + 0.035f * std::abs(std::sin(along * Pi * 4.0f))});
    }
    mask.add_polygon(canopy);
    mask.paint(canvas.frame, hex(0x03030a));
}

}  // namespace

void draw_city(Canvas& canvas, float t) {
    Frame& frame = canvas.frame;
    Mask& mask = canvas.mask;
    static const Ramp sky = {{0.0f, 0x3a2a55}, {0.3f, 0x1d1d48}, {0.65f, 0x0b0f2c}, {1.0f, 0x050716}};
    frame.shade([&](Vec2 p) {
        const float cloud = fbm({p.x * 1.3f - t * 0.05f, p.y * 2.6f}, 4);
        return sky((p.y - Street) / 1.5f) * (0.45f + 0.9f * cloud);
    });
    for (int row = 0; row < 2; ++row) {
        draw_towers(canvas, row, t * (0.02f + 0.03f * static_cast<float>(row)));
        // Rain haze lifts what is farther away.
        for (int y = 0; y < Height; ++y) {
            const float v = Frame::position(0.0f, y + 0.5f).y;
            const Vec3 haze = hex(0x38305c) * (0.22f * smooth(0.5f, Street, v));
            for (int x = 0; x < Width; ++x) {
                frame.at(x, y) += haze;
            }
        }
    }
    draw_train(canvas, t);
    add_box(mask, LampHead.x - 0.22f, Street - 0.14f, LampHead.x - 0.2f, LampHead.y + 0.06f);
    mask.add_capsule(LampHead + Vec2{-0.21f, 0.06f}, LampHead + Vec2{0.0f, 0.035f}, 0.009f, 0.007f);
    mask.add_ellipse(LampHead + Vec2{0.0f, 0.02f}, 0.06f, 0.022f, 0.0f);
    mask.paint(frame, hex(0x04040a));

    // The wet street mirrors the whole scene in broken vertical smears.
    for (int y = 0; y < Height; ++y) {
        const float v = Frame::position(0.0f, y + 0.5f).y;
        if (v >= Street) {
            continue;
        }
        const float depth = Street - v;
        for (int x = 0; x < Width; ++x) {
            const float u = Frame::position(x + 0.5f, 0.0f).x;
            const float ripple = noise({u * 7.0f, v * 70.0f}) - 0.5f + 0.5f * (noise({u * 16.0f + t * 4.0f, v * 90.0f - t * 5.0f}) - 0.5f);
            const float up = Street + depth * 1.5f + ripple * 0.12f * (0.3f + depth);
            const int sx = std::clamp(x + static_cast<int>(ripple * 26.0f * depth), 0, Width - 1);
            const int sy = std::clamp(static_cast<int>((1.0f - up) / PixelSize), 0, Height - 1);
            const float pool = std::exp(-9.0f * ((u - LampHead.x) * (u - LampHead.x) * 0.7f + (depth - 0.15f) * (depth - 0.15f) * 3.0f));
            frame.at(x, y) = frame.at(sx, sy) * (0.55f * std::exp(-1.2f * depth)) + hex(0x05060e) +
                             hex(0xffb868) * (pool * (0.09f + 0.16f * std::max(ripple, 0.0f)));
        }
    }
    const auto lamp_light = [&](Vec2 p) {
        const Vec2 d = p - LampHead;
        const float cone = smooth(0.75f, 0.25f, std::abs(d.x) / std::max(-d.y + 0.06f, 0.03f)) * smooth(0.02f, -0.03f, d.y);
        return 0.3f * cone * std::exp(-1.5f * length(d)) + 0.3f * std::exp(-7.0f * length(d));
    };
    for (int y = 0; y < Height; ++y) {
        for (int x = 0; x < Width; ++x) {
            frame.at(x, y) += hex(0xffc078) * lamp_light(Frame::position(x + 0.5f, y + 0.5f));
        }
    }
    mask.add_ellipse(LampHead, 0.05f, 0.014f, 0.0f);
    mask.add_light(frame, hex(0xfff0d0) * 2.5f);
    draw_walker(canvas, t);

    for (int i = 0; i < 620; ++i) {
        const float near = 0.35f + 0.65f * hash(i, 151) * hash(i, 152);
        const float fall = hash(i, 153) * 2.6f + t * 3.4f * near;
        const float y = 1.2f - (fall - 2.6f * std::floor(fall / 2.6f));
        const Vec2 at = {(hash(i, 154 + static_cast<int>(fall / 2.6f)) * 2.0f - 1.0f) * 1.95f - 0.1f * y, y};
        mask.add_capsule(at, at + Vec2{0.011f, 0.1f} * near, 0.0009f + 0.0012f * near, 0.0006f);
        mask.add_light(frame, mix(hex(0x8fa6e0), hex(0xffd9a0), clamp01(5.0f * lamp_light(at))) * (0.1f + 0.25f * near + lamp_light(at)));
    }
    for (int i = 0; i < 110; ++i) {
        const float turn = t * 2.2f + hash(i, 161);
        const int life = static_cast<int>(turn);
        const float age = turn - static_cast<float>(life);
        const Vec2 at = {(hash(i, life + 162) * 2.0f - 1.0f) * 1.75f, Street - 0.02f - 0.44f * hash(i, life + 300)};
        const float wide = (0.006f + 0.05f * age) * (0.5f + Street - at.y);
        mask.add_ellipse(at, wide, wide * 0.3f, 0.0f);
        mask.add_light(frame, hex(0x9fb0e8) * (0.1f * (1.0f - age)));
    }
    frame.bloom(0.3f, 0.6f, 8);
    frame.vignette(0.3f);
}

}  // namespace demo
