// The drawing surface of the demo clip: small vectors, noise, colour ramps, a
// linear-light frame and an anti-aliased coverage mask for vector shapes.
//
// Picture coordinates: x in [-16/9, 16/9] to the right, y in [-1, 1] upwards.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace demo {

constexpr int Width = 1280;
constexpr int Height = 720;
constexpr int FrameRate = 30;
constexpr float Aspect = static_cast<float>(Width) / Height;
constexpr float PixelSize = 2.0f / Height;
constexpr float Pi = 3.14159265f;

struct Vec2 {
    float x = 0.0f;
    float y = 0.0f;
};
inline Vec2 operator+(Vec2 a, Vec2 b) { return {a.x + b.x, a.y + b.y}; }
inline Vec2 operator-(Vec2 a, Vec2 b) { return {a.x - b.x, a.y - b.y}; }
inline Vec2 operator*(Vec2 a, float s) { return {a.x * s, a.y * s}; }
inline float length(Vec2 a) { return std::sqrt(a.x * a.x + a.y * a.y); }
inline Vec2 direction(float angle) { return {std::cos(angle), std::sin(angle)}; }

struct Vec3 {
    float x = 0.0f;
    float y = 0.0f;
    float z = 0.0f;
};
inline Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 operator*(Vec3 a, Vec3 b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
inline Vec3 operator*(Vec3 a, float s) { return {a.x * s, a.y * s, a.z * s}; }
inline Vec3& operator+=(Vec3& a, Vec3 b) { return a = a + b; }
inline float dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline float length(Vec3 a) { return std::sqrt(dot(a, a)); }
inline Vec3 normalize(Vec3 a) { return a * (1.0f / std::max(length(a), 1e-9f)); }
inline Vec3 cross(Vec3 a, Vec3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

inline float clamp01(float v) { return std::clamp(v, 0.0f, 1.0f); }
template <typename T>
T mix(T a, T b, float t) {
    return a * (1.0f - t) + b * t;
}
// Hermite step from 0 at `from` to 1 at `to`; the ends may be given in either order.
inline float smooth(float from, float to, float v) {
    const float t = clamp01((v - from) / (to - from));
    return t * t * (3.0f - 2.0f * t);
}
inline float ease_out(float t) {
    const float u = 1.0f - clamp01(t);
    return 1.0f - u * u * u;
}

float hash(std::int32_t a, std::int32_t b = 0);  // in [0, 1), the same for the same numbers
float noise(Vec2 p);                             // smooth value noise in [0, 1]
float fbm(Vec2 p, int octaves);                  // fractal sum of `noise`, about [0, 1]

// A 0xRRGGBB colour as written for a screen, turned into linear light.
Vec3 hex(std::uint32_t rgb);

// A colour gradient. The stops are mixed as a screen shows them (which looks even to the
// eye) and then kept as linear light.
class Ramp {
  public:
    struct Stop {
        float at;
        std::uint32_t rgb;
    };
    Ramp(std::initializer_list<Stop> stops);
    Vec3 operator()(float v) const {
        const float scaled = clamp01(v) * (Entries - 1);
        const int index = std::min(static_cast<int>(scaled), Entries - 2);
        return mix(table_[index], table_[index + 1], scaled - static_cast<float>(index));
    }

  private:
    static constexpr int Entries = 512;
    std::vector<Vec3> table_;
};

// One picture in linear light.
class Frame {
  public:
    Frame() : pixels_(static_cast<std::size_t>(Width) * Height) {}

    Vec3& at(int x, int y) { return pixels_[static_cast<std::size_t>(y) * Width + x]; }
    static Vec2 position(float x, float y) {
        return {(x - Width * 0.5f) * PixelSize, (Height * 0.5f - y) * PixelSize};
    }
    template <typename Shader>
    void shade(Shader shader) {
        for (int y = 0; y < Height; ++y) {
            for (int x = 0; x < Width; ++x) {
                at(x, y) = shader(position(x + 0.5f, y + 0.5f));
            }
        }
    }

    // Lets bright parts glow into their surroundings.
    void bloom(float threshold, float strength, int radius);
    void scale(float factor);
    void vignette(float strength);
    // Limited-range BT.709 yuv420p, planes one after the other.
    void write_yuv(std::vector<std::uint8_t>& out, int seed) const;

  private:
    std::vector<Vec3> pixels_;
};

// Collects shapes as exact area coverage, then paints all of them as one union, so
// overlapping parts of a figure show no seams.
class Mask {
  public:
    Mask();
    void add_polygon(std::span<const Vec2> points);
    void add_capsule(Vec2 a, Vec2 b, float radius_a, float radius_b);
    void add_disc(Vec2 centre, float radius) { add_ellipse(centre, radius, radius, 0.0f); }
    void add_ellipse(Vec2 centre, float rx, float ry, float angle);
    // A round-ended line through `points`, its radius going evenly from one to the other.
    void add_stroke(std::span<const Vec2> points, float radius_from, float radius_to);
    // The area under a line of points, down to y = bottom.
    void add_terrain(std::span<const Vec2> ridge, float bottom);

    void paint(Frame& frame, Vec3 colour, float opacity = 1.0f) {
        resolve([&](int x, int y, float cover) {
            Vec3& pixel = frame.at(x, y);
            pixel = mix(pixel, colour, cover * opacity);
        });
    }
    void add_light(Frame& frame, Vec3 colour) {
        resolve([&](int x, int y, float cover) { frame.at(x, y) += colour * cover; });
    }
    // `shader` maps a position to a colour.
    template <typename Shader>
    void paint_with(Frame& frame, Shader shader) {
        resolve([&](int x, int y, float cover) {
            Vec3& pixel = frame.at(x, y);
            pixel = mix(pixel, shader(Frame::position(x + 0.5f, y + 0.5f)), cover);
        });
    }
    // Calls `visit(x, y, coverage)` wherever coverage is not zero, and empties the mask.
    template <typename Visitor>
    void resolve(Visitor visit) {
        for (int y = top_; y < bottom_; ++y) {
            float* row = &area_[static_cast<std::size_t>(y) * Stride];
            float sum = 0.0f;
            for (int x = left_; x < Width; ++x) {
                sum += row[x];
                const float cover = std::min(std::abs(sum), 1.0f);
                if (cover > 2e-3f) {
                    visit(x, y, cover);
                }
            }
            std::fill(row + left_, row + Stride, 0.0f);
        }
        top_ = Height;
        bottom_ = 0;
        left_ = Width;
    }

  private:
    // An edge may touch the two columns right of the picture.
    static constexpr int Stride = Width + 2;
    void add_edge(Vec2 from, Vec2 to);

    std::vector<float> area_;
    std::vector<Vec2> scratch_;
    int top_ = Height;
    int bottom_ = 0;
    int left_ = Width;
};

struct Canvas {
    Frame frame;
    Mask mask;
};

}  // namespace demo
