#include "figures.h"
#include "scenes.h"

namespace demo {

namespace {

constexpr float LetterHeight = 0.39f;
constexpr float LetterWeight = 0.037f;
constexpr Vec2 TitleCentre = {0.0f, 0.08f};
constexpr float FloorLevel = -0.36f;
constexpr float Flash = 1.5f;  // half a bar into the shot

const std::vector<PlacedGlyph>& title_letters() {
    static const std::vector<PlacedGlyph> line = set_text("GLYPHREEL", TitleCentre, LetterHeight, 0.128f);
    return line;
}

Vec3 title_colour(float x) {
    static const Ramp neon = {{0.0f, 0x28e0ff}, {0.35f, 0x7a6cff}, {0.62f, 0xff4fb4}, {1.0f, 0xffb14a}};
    return neon(0.5f + x / 3.0f);
}

// Points spread evenly over the letters, where the flying sparks come to rest.
std::vector<Vec2> make_targets(int count) {
    std::vector<std::pair<Vec2, Vec2>> pieces;
    std::vector<float> ends;
    float total = 0.0f;
    for (const PlacedGlyph& placed : title_letters()) {
        for (const Stroke& stroke : placed.shape->strokes) {
            for (std::size_t i = 0; i + 1 < stroke.size(); ++i) {
                pieces.emplace_back(placed.origin + stroke[i] * LetterHeight,
                                    placed.origin + stroke[i + 1] * LetterHeight);
                total += length(pieces.back().second - pieces.back().first);
                ends.push_back(total);
            }
        }
    }
    std::vector<Vec2> targets;
    for (int i = 0; i < count; ++i) {
        const float along = (static_cast<float>(i) + 0.5f) * total / static_cast<float>(count);
        const std::size_t piece = static_cast<std::size_t>(
            std::lower_bound(ends.begin(), ends.end(), along) - ends.begin());
        const auto& [a, b] = pieces[std::min(piece, pieces.size() - 1)];
        const float angle = 2.0f * Pi * hash(i, 41);
        targets.push_back(mix(a, b, hash(i, 42)) + direction(angle) * (LetterWeight * std::sqrt(hash(i, 43))));
    }
    return targets;
}

}  // namespace

void draw_title(Canvas& canvas, float t) {
    Frame& frame = canvas.frame;
    Mask& mask = canvas.mask;
    static const Ramp backdrop = {{0.0f, 0x02030a}, {0.3f, 0x0b0a2a}, {0.42f, 0x1b0f45}, {0.6f, 0x080a24},
                                  {1.0f, 0x020309}};
    const float lit = smooth(Flash - 0.06f, Flash + 0.02f, t);
    const float burst = lit * std::exp(-4.0f * std::max(t - Flash, 0.0f));
    frame.shade([&](Vec2 p) {
        const float haze = fbm({p.x * 1.1f + t * 0.03f, p.y * 1.7f + 5.0f}, 4);
        Vec3 c = backdrop((p.y + 1.0f) * 0.5f) * (0.5f + haze);
        const float centre = std::exp(-3.0f * (p.x * p.x * 0.25f + (p.y - 0.1f) * (p.y - 0.1f) * 2.0f));
        return c + title_colour(p.x) * (centre * (0.02f + 0.05f * lit + 0.5f * burst));
    });
    for (int i = 0; i < 420; ++i) {
        const float depth = 0.4f + hash(i, 51);
        const Vec2 at = {(hash(i, 52) * 2.0f - 1.0f) * 1.8f * (1.0f + 0.05f * t * depth),
                         FloorLevel + 0.05f + hash(i, 53) * 1.35f};
        const float twinkle = 0.6f + 0.4f * std::sin(t * 6.0f * hash(i, 54) + 20.0f * hash(i, 55));
        const float size = hash(i, 56);
        mask.add_disc(at, 0.0015f + 0.0035f * size * size * size);
        mask.add_light(frame, hex(0xcfe0ff) * (twinkle * (0.25f + 0.75f * size)));
    }

    constexpr int Sparks = 5200;
    static const std::vector<Vec2> targets = make_targets(Sparks);
    const float ember = 1.0f - smooth(Flash, Flash + 0.5f, t);
    for (int i = 0; i < Sparks && ember > 0.0f; ++i) {
        const Vec2 target = targets[i];
        const float delay = 0.32f * hash(i, 61) + 0.22f * (target.x / Aspect * 0.5f + 0.5f);
        const auto place = [&](float when) {
            const float e = ease_out((when - delay * 0.6f) / 1.02f);
            const float from = 2.0f * Pi * hash(i, 62);
            const float radius = 0.7f + 1.6f * hash(i, 63);
            const Vec2 start = Vec2{std::cos(from) * radius * 1.3f, std::sin(from) * radius * 0.8f};
            const float swirl = (1.0f - e) * (1.0f - e) * 2.2f;
            const Vec2 offset = mix(start, target, e);
            const Vec2 turn = direction(swirl);
            return Vec2{offset.x * turn.x - offset.y * turn.y, offset.x * turn.y + offset.y * turn.x};
        };
        const Vec2 now = place(t);
        const float glow = (0.35f + 0.65f * hash(i, 64)) * smooth(0.0f, 0.35f, t + 0.2f) * ember;
        mask.add_capsule(place(t - 0.025f), now, 0.0012f, 0.0026f);
        mask.add_light(frame, mix(title_colour(target.x), hex(0xffffff), 0.25f) * (1.3f * glow));
    }

    if (lit > 0.0f) {
        for (const PlacedGlyph& placed : title_letters()) {
            add_glyph(mask, placed, LetterHeight, LetterWeight);
        }
        const float sweep = -2.2f + (t - Flash) * 3.4f;
        mask.resolve([&](int x, int y, float cover) {
            const Vec2 p = Frame::position(x + 0.5f, y + 0.5f);
            const float shine = std::exp(-std::pow((p.x - sweep + p.y * 0.4f) * 7.0f, 2.0f));
            const float tall = 0.75f + 0.45f * (p.y - TitleCentre.y) / LetterHeight;
            const Vec3 c = title_colour(p.x) * tall + hex(0xffffff) * (0.06f + shine * 1.2f + burst * 1.5f);
            frame.at(x, y) = mix(frame.at(x, y), c, cover * lit);
        });
        for (int i = 0; i < 260; ++i) {
            const float speed = 0.5f + 2.6f * hash(i, 71);
            const float age = t - Flash;
            const float reach = speed * (1.0f - std::exp(-2.2f * age)) / 2.2f;
            const Vec2 origin = targets[static_cast<std::size_t>(hash(i, 72) * Sparks)];
            const Vec2 heading = direction(2.0f * Pi * hash(i, 73));
            const Vec2 at = origin + heading * reach + Vec2{0.0f, -0.25f * age * age};
            mask.add_capsule(at - heading * (0.03f * speed * std::exp(-2.2f * age)), at, 0.001f, 0.003f);
            mask.add_light(frame, title_colour(origin.x) * (1.4f * std::exp(-1.6f * age)));
        }
    }
    // A wet black floor repeats everything above it, blurred by ripples.
    for (int y = 0; y < Height; ++y) {
        const Vec2 row = Frame::position(0.0f, y + 0.5f);
        if (row.y >= FloorLevel) {
            continue;
        }
        const float depth = FloorLevel - row.y;
        for (int x = 0; x < Width; ++x) {
            const float px = Frame::position(x + 0.5f, 0.0f).x;
            const float ripple = noise({px * 9.0f, row.y * 60.0f + t * 3.0f}) - 0.5f;
            const float up = FloorLevel + depth * 1.15f + ripple * 0.05f * (0.2f + depth);
            const int sx = std::clamp(x + static_cast<int>(ripple * 20.0f * depth), 0, Width - 1);
            const int sy = std::clamp(static_cast<int>((1.0f - up) / PixelSize), 0, y);
            frame.at(x, y) = frame.at(sx, sy) * (0.5f * std::exp(-1.9f * depth)) + hex(0x020208);
        }
    }
    frame.bloom(0.25f, 0.8f, 9);
    frame.vignette(0.3f);
}

void draw_end_card(Canvas& canvas, float t) {
    Frame& frame = canvas.frame;
    Mask& mask = canvas.mask;
    static const Ramp limb = {{0.0f, 0xffffff}, {0.12f, 0x9fe0ff}, {0.4f, 0x2a7bff}, {1.0f, 0x0a1a6a}};
    constexpr float Radius = 2.6f;
    const Vec2 centre = {0.0f, -3.08f};
    const float dawn = smooth(-0.4f, 2.4f, t);
    const Vec2 sun = {0.62f, centre.y + std::sqrt(Radius * Radius - 0.62f * 0.62f) - 0.03f + 0.06f * dawn};
    const auto planet = [&](Vec2 p) {
        const float d = length(p - centre) - Radius;
        const float to_sun = length(p - sun);
        const float bright = 0.1f + 1.5f * std::exp(-1.9f * to_sun) * (0.4f + 0.6f * dawn);
        const float flare = dawn * (0.012f / (to_sun * to_sun + 0.004f) +
                                    0.05f / (0.02f + std::abs(p.y - sun.y) * 9.0f + to_sun * 0.5f));
        Vec3 c = hex(0x02030a);
        if (d > 0.0f) {
            c += limb(d * 9.0f) * (bright * std::exp(-d * 15.0f));
            c += hex(0xffe2b0) * flare;
            return c;
        }
        // The night side: settlements follow unseen coasts.
        const Vec2 ground = {p.x / (0.25f - d * 1.2f) * 0.28f + t * 0.04f, d * 5.0f};
        const float land = smooth(0.47f, 0.56f, fbm(Vec2{ground.x * 2.5f, ground.y * 2.2f}, 4));
        const float towns = smooth(0.6f, 0.85f, fbm(Vec2{ground.x * 22.0f, ground.y * 26.0f}, 3));
        c = mix(hex(0x040a18), hex(0x0a1018), land);
        c += hex(0xffb45a) * (land * towns * 1.1f * smooth(0.0f, -0.1f, d));
        c += limb(-d * 5.0f) * (bright * std::exp(d * 22.0f) * 0.8f);
        return c + hex(0xffe2b0) * (flare * 0.25f);
    };
    frame.shade(planet);
    for (int i = 0; i < 700; ++i) {
        const Vec2 at = {(hash(i, 81) * 2.0f - 1.0f) * 1.8f, -0.5f + 1.55f * hash(i, 82)};
        if (length(at - centre) < Radius + 0.03f) {
            continue;
        }
        const float size = std::pow(hash(i, 83), 4.0f);
        const float twinkle = 0.65f + 0.35f * std::sin(t * 5.0f * hash(i, 84) + 30.0f * hash(i, 85));
        mask.add_disc(at, 0.0013f + 0.0035f * size);
        mask.add_light(frame, mix(hex(0xaecbff), hex(0xffe6c8), hash(i, 86)) *
                                  (twinkle * (0.2f + 0.8f * size) * (1.0f - 0.4f * dawn)));
    }

    constexpr float Tall = 0.27f;
    const float gap = 0.085f + 0.035f * (1.0f - ease_out(t / 2.2f));
    const auto name = set_text("GLYPHREEL", {0.0f, 0.4f}, Tall, gap);
    for (std::size_t i = 0; i < name.size(); ++i) {
        const float shown = smooth(0.0f, 0.5f, t + 0.1f - 0.05f * static_cast<float>(i));
        PlacedGlyph placed = name[i];
        placed.origin.y -= 0.05f * (1.0f - shown);
        add_glyph(mask, placed, Tall, 0.026f);
        mask.paint(frame, mix(hex(0xffe9c6), hex(0xcfeaff), static_cast<float>(i) / 8.0f), shown);
    }
    constexpr float Small = 0.092f;
    const auto line = set_text("VIDEO PLAYED AS TEXT", {0.0f, 0.07f}, Small, 0.046f);
    const float typed = (t - 0.75f) * 22.0f;
    Vec2 cursor = line.front().origin;
    for (std::size_t i = 0; i < line.size() && static_cast<float>(i) < typed; ++i) {
        add_glyph(mask, line[i], Small, 0.0105f);
        cursor = line[i].origin + Vec2{line[i].shape->width * Small + 0.046f, 0.0f};
    }
    mask.paint(frame, hex(0x9fdcff));
    if (typed > 0.0f && std::fmod(t, 0.375f) < 0.22f) {
        mask.add_polygon(std::array{cursor + Vec2{0.0f, -0.01f}, cursor + Vec2{0.045f, -0.01f},
                                    cursor + Vec2{0.045f, Small + 0.01f}, cursor + Vec2{0.0f, Small + 0.01f}});
        mask.paint(frame, hex(0xffc86a));
    }
    frame.bloom(0.3f, 0.6f, 9);
    frame.vignette(0.2f);
    frame.scale(1.0f - smooth(2.45f, 2.97f, t));
}

}  // namespace demo
