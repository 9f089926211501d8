#include "scenes.h"

namespace demo {

namespace {

struct Turn {
    Vec3 right;
    Vec3 up;
    Vec3 ahead;
    Vec3 into(Vec3 p) const { return {dot(p, right), dot(p, up), dot(p, ahead)}; }
};

constexpr Vec3 KnotCentre = {0.0f, 1.22f, 0.0f};
constexpr float KnotReach = 1.32f;
constexpr float Tube = 0.175f;

// A band wound three times round the ring while it goes round twice. Each half plane
// through the axis cuts two strands; folding the turning cross-section makes them one.
float knot_distance(Vec3 p, const Turn& turn) {
    const Vec3 q = turn.into(p - KnotCentre);
    const float around = std::atan2(q.z, q.x) * 1.5f;
    const float x = std::sqrt(q.x * q.x + q.z * q.z) - 0.8f;
    const float c = std::cos(around);
    const float s = std::sin(around);
    const float u = std::abs(c * x + s * q.y) - 0.31f;
    const float v = c * q.y - s * x;
    return std::sqrt(u * u + v * v) - Tube;
}

float march(Vec3 from, Vec3 ray, const Turn& turn) {
    const Vec3 to = from - KnotCentre;
    const float b = dot(to, ray);
    const float under = b * b - dot(to, to) + KnotReach * KnotReach;
    if (under < 0.0f) {
        return -1.0f;
    }
    const float leave = -b + std::sqrt(under);
    float t = std::max(-b - std::sqrt(under), 0.0f);
    for (int i = 0; i < 90 && t < leave; ++i) {
        const float d = knot_distance(from + ray * t, turn);
        if (d < 0.0015f) {
            return t;
        }
        t += d * 0.7f;
    }
    return -1.0f;
}

float shadow(Vec3 from, Vec3 ray, const Turn& turn) {
    const Vec3 to = from - KnotCentre;
    const float b = dot(to, ray);
    const float reach = KnotReach * 1.25f;
    const float under = b * b - dot(to, to) + reach * reach;
    if (under < 0.0f) {
        return 1.0f;
    }
    float open = 1.0f;
    float t = std::max(-b - std::sqrt(under), 0.03f);
    const float leave = -b + std::sqrt(under);
    for (int i = 0; i < 40 && t < leave; ++i) {
        const float d = knot_distance(from + ray * t, turn);
        open = std::min(open, 0.5f + 5.5f * d / t);
        if (open <= 0.0f) {
            return 0.0f;
        }
        t += std::clamp(d * 0.75f, 0.02f, 0.25f);
    }
    return smooth(0.0f, 1.0f, open);
}

Vec3 surroundings(Vec3 ray) {
    static const Ramp room = {{0.0f, 0x05060c}, {0.45f, 0x0c1a2e}, {0.55f, 0x1d3a55}, {0.75f, 0x16204a}, {1.0f, 0x0a0a20}};
    Vec3 c = room(0.5f + 0.5f * ray.y);
    const float window = smooth(0.55f, 0.62f, ray.y) * smooth(0.94f, 0.86f, ray.y);
    c += hex(0xfff1da) * (2.2f * window * smooth(0.06f, 0.0f, std::abs(ray.x + 0.35f) - 0.22f));
    const float strip = smooth(0.08f, 0.0f, std::abs(ray.x - 0.86f) - 0.05f) * smooth(-0.2f, 0.0f, ray.y);
    return c + hex(0x3fe0ff) * (1.6f * strip);
}

const Vec3 KeyLight = normalize({-0.55f, 1.0f, -0.45f});

struct Hit {
    Vec3 colour;
    float surface;  // tells neighbours apart, to find the edges worth more samples
};

Hit trace(Vec3 eye, Vec3 ray, const Turn& turn) {
    const float t = march(eye, ray, turn);
    if (t > 0.0f) {
        const Vec3 p = eye + ray * t;
        constexpr float Step = 0.0012f;
        const float d = knot_distance(p, turn);
        const Vec3 n = normalize({knot_distance(p + Vec3{Step, 0, 0}, turn) - d,
                                  knot_distance(p + Vec3{0, Step, 0}, turn) - d,
                                  knot_distance(p + Vec3{0, 0, Step}, turn) - d});
        static const Ramp coat = {{0.0f, 0xff2f6d}, {0.25f, 0xff8a2a}, {0.5f, 0xffd24a}, {0.75f, 0xff5a3a}, {1.0f, 0xff2f6d}};
        const Vec3 q = turn.into(p - KnotCentre);
        const float angle = std::atan2(q.z, q.x) / (2.0f * Pi) + 0.5f;
        const Vec3 base = coat(angle);
        const Vec3 mirror = ray - n * (2.0f * dot(ray, n));
        const float open = shadow(p + n * 0.02f, KeyLight, turn);
        const float key = std::max(dot(n, KeyLight), 0.0f) * open;
        const float sky = 0.5f + 0.5f * n.y;
        // Strands shade each other where they come close.
        const float crevice = clamp01(0.25f + 5.0f * knot_distance(p + n * 0.13f, turn));
        const float rim = std::pow(1.0f - std::max(-dot(ray, n), 0.0f), 4.0f);
        Vec3 c = base * (key * 0.95f + 0.16f * sky * crevice);
        c += base * hex(0x4060ff) * (0.5f * std::max(dot(n, normalize({0.9f, 0.1f, 0.5f})), 0.0f) * crevice);
        c += surroundings(mirror) * ((0.16f + 0.75f * rim) * crevice);
        c += hex(0xfff4e0) * (2.0f * open * std::pow(std::max(dot(mirror, KeyLight), 0.0f), 60.0f));
        return {c, 2.0f + n.x + 0.37f * n.y + 0.5f * t};
    }
    static const Ramp wall = {{0.0f, 0x0d2a3c}, {0.35f, 0x0a1b33}, {1.0f, 0x05060f}};
    const Vec3 back = wall(std::abs(ray.x) * 0.9f + std::max(ray.y, 0.0f) * 1.1f) +
                      hex(0x1b7f8f) * (0.28f * std::exp(-6.0f * (ray.x * ray.x + (ray.y - 0.02f) * (ray.y - 0.02f))));
    if (ray.y >= -0.01f) {
        return {back, 0.0f};
    }
    const float down = -eye.y / ray.y;
    const Vec3 p = eye + ray * down;
    const float from_centre = std::sqrt(p.x * p.x + p.z * p.z);
    const float open = from_centre < 4.5f ? shadow(p, KeyLight, turn) : 1.0f;
    const float pool = std::exp(-0.13f * from_centre * from_centre);
    // Rings inlaid in the floor, softened with distance so that they do not shimmer.
    const float blur = 0.004f + 0.0035f * down;
    const float ring = std::abs(from_centre - 0.5f * std::round(from_centre / 0.5f));
    const float line = smooth(blur * 2.0f + 0.012f, 0.0f, ring) * std::min(1.0f, 0.02f / blur);
    Vec3 c = mix(hex(0x0a1626), hex(0x2f7f96), pool * (0.25f + 0.75f * open));
    c = mix(c, hex(0x9ff2ff), line * 0.5f * pool * (0.3f + 0.7f * open));
    const Vec3 mirror = {ray.x, -ray.y, ray.z};
    const float seen = march(p + mirror * 0.01f, mirror, turn);
    const float grazing = std::pow(1.0f + ray.y, 4.0f);
    if (seen > 0.0f) {
        c = mix(c, hex(0xd0482e) * 0.5f, 0.15f + 0.45f * grazing * std::exp(-0.3f * seen));
    }
    return {mix(c, back, smooth(3.0f, 11.0f, from_centre)), 1.0f};
}

}  // namespace

void draw_knot(Canvas& canvas, float t) {
    const float orbit = 0.25f * t - 0.3f;
    const float near = 3.95f - 0.16f * t;
    const Vec3 eye = {std::sin(orbit) * near, 1.75f - 0.1f * t, -std::cos(orbit) * near};
    const Vec3 ahead = normalize(Vec3{0.0f, 1.02f, 0.0f} - eye);
    const Vec3 right = normalize(cross({0.0f, 1.0f, 0.0f}, ahead));
    const Vec3 up = cross(ahead, right);
    const float spin = 0.6f + 1.25f * t;
    const float tip = 0.95f + 0.35f * std::sin(t * 1.1f);
    const Vec3 axis = {std::sin(tip) * std::sin(spin * 0.4f), std::cos(tip), -std::sin(tip) * std::cos(spin * 0.4f)};
    const Vec3 side = normalize(cross(axis, {0.3f, 0.1f, 1.0f}));
    const Vec3 third = cross(axis, side);
    const Turn turn = {side * std::cos(spin) + third * std::sin(spin), axis,
                       third * std::cos(spin) - side * std::sin(spin)};
    const auto sample = [&](float x, float y) {
        const Vec2 p = Frame::position(x, y);
        return trace(eye, normalize(ahead + right * (p.x * 0.47f) + up * (p.y * 0.47f)), turn);
    };
    Frame& frame = canvas.frame;
    std::vector<float> surface(static_cast<std::size_t>(Width) * Height);
    for (int y = 0; y < Height; ++y) {
        for (int x = 0; x < Width; ++x) {
            const Hit hit = sample(x + 0.5f, y + 0.5f);
            frame.at(x, y) = hit.colour;
            surface[static_cast<std::size_t>(y) * Width + x] = hit.surface;
        }
    }
    // Only pixels on an edge are worth the price of more rays.
    for (int y = 1; y + 1 < Height; ++y) {
        for (int x = 1; x + 1 < Width; ++x) {
            const float* s = &surface[static_cast<std::size_t>(y) * Width + x];
            const float change = std::max({std::abs(s[0] - s[1]), std::abs(s[0] - s[-1]),
                                           std::abs(s[0] - s[Width]), std::abs(s[0] - s[-Width])});
            if (change > 0.22f) {
                Vec3 sum;
                for (const Vec2 at : {Vec2{0.125f, 0.375f}, Vec2{0.375f, 0.875f}, Vec2{0.625f, 0.125f}, Vec2{0.875f, 0.625f}}) {
                    const Vec3 c = sample(x + at.x, y + at.y).colour;
                    sum += Vec3{std::min(c.x, 2.0f), std::min(c.y, 2.0f), std::min(c.z, 2.0f)};
                }
                frame.at(x, y) = sum * 0.25f;
            }
        }
    }
    frame.bloom(0.6f, 0.45f, 9);
    frame.vignette(0.3f);
}

}  // namespace demo
