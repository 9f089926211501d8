#include "canvas.h"

namespace demo {

float hash(std::int32_t a, std::int32_t b) {
    std::uint32_t h = static_cast<std::uint32_t>(a) * 0x9e3779b1u;
    h ^= static_cast<std::uint32_t>(b) * 0x85ebca77u + 0x165667b1u;
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    h ^= h >> 12;
    h *= 0x297a2d39u;
    h ^= h >> 15;
    return static_cast<float>(h >> 8) * (1.0f / 16777216.0f);
}

float noise(Vec2 p) {
    const float fx = std::floor(p.x);
    const float fy = std::floor(p.y);
    const int ix = static_cast<int>(fx);
    const int iy = static_cast<int>(fy);
    float u = p.x - fx;
    float v = p.y - fy;
    u = u * u * (3.0f - 2.0f * u);
    v = v * v * (3.0f - 2.0f * v);
    return mix(mix(hash(ix, iy), hash(ix + 1, iy), u), mix(hash(ix, iy + 1), hash(ix + 1, iy + 1), u),
               v);
}

float fbm(Vec2 p, int octaves) {
    float sum = 0.0f;
    float weight = 0.5f;
    for (int i = 0; i < octaves; ++i) {
        sum += weight * noise(p);
        // Turning each octave keeps the lattice of the noise from showing.
        p = Vec2{p.x * 1.6f + p.y * 1.2f + 7.3f, p.y * 1.6f - p.x * 1.2f + 3.1f};
        weight *= 0.5f;
    }
    return sum;
}

namespace {

float to_linear(float v) {
    return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f);
}

float to_screen(float v) {
    return v <= 0.0031308f ? v * 12.92f : 1.055f * std::pow(v, 1.0f / 2.4f) - 0.055f;
}

Vec3 screen_colour(std::uint32_t rgb) {
    return Vec3{static_cast<float>(rgb >> 16 & 255u), static_cast<float>(rgb >> 8 & 255u),
                static_cast<float>(rgb & 255u)} *
           (1.0f / 255.0f);
}

Vec3 to_linear(Vec3 c) { return {to_linear(c.x), to_linear(c.y), to_linear(c.z)}; }

// Colours up to the knee are shown as authored; light above it rolls off towards white.
float shoulder(float v) {
    constexpr float Knee = 0.65f;
    return v < Knee ? std::max(v, 0.0f) : Knee + (1.0f - Knee) * (1.0f - std::exp((Knee - v) / (1.0f - Knee)));
}

class ScreenTable {
  public:
    ScreenTable() : table_(Entries) {
        for (int i = 0; i < Entries; ++i) {
            const float root = static_cast<float>(i) / (Entries - 1);
            table_[i] = to_screen(shoulder(root * root * Range));
        }
    }
    // Indexed by the square root, which spends the entries where the eye needs them.
    float operator()(float v) const {
        const float scaled = std::sqrt(std::clamp(v, 0.0f, Range) / Range) * (Entries - 1);
        return table_[static_cast<int>(scaled + 0.5f)];
    }

  private:
    static constexpr int Entries = 8192;
    static constexpr float Range = 4.0f;
    std::vector<float> table_;
};

void box_blur_rows(const std::vector<Vec3>& from, std::vector<Vec3>& to, int width, int height,
                   int radius) {
    const float weight = 1.0f / static_cast<float>(2 * radius + 1);
    for (int y = 0; y < height; ++y) {
        const Vec3* row = &from[static_cast<std::size_t>(y) * width];
        Vec3 sum;
        for (int x = -radius; x <= radius; ++x) {
            sum += row[std::clamp(x, 0, width - 1)];
        }
        for (int x = 0; x < width; ++x) {
            // Written transposed, so that the next pass blurs the other axis.
            to[static_cast<std::size_t>(x) * height + y] = sum * weight;
            sum += row[std::min(x + radius + 1, width - 1)] - row[std::max(x - radius, 0)];
        }
    }
}

}  // namespace

Vec3 hex(std::uint32_t rgb) { return to_linear(screen_colour(rgb)); }

Ramp::Ramp(std::initializer_list<Stop> stops) : table_(Entries) {
    for (int i = 0; i < Entries; ++i) {
        const float v = static_cast<float>(i) / (Entries - 1);
        const Stop* low = stops.begin();
        const Stop* high = stops.begin();
        for (const Stop& stop : stops) {
            high = &stop;
            if (stop.at >= v) {
                break;
            }
            low = &stop;
        }
        const float span = high->at - low->at;
        const float t = span > 0.0f ? clamp01((v - low->at) / span) : 0.0f;
        table_[i] = to_linear(mix(screen_colour(low->rgb), screen_colour(high->rgb), t));
    }
}

void Frame::bloom(float threshold, float strength, int radius) {
    constexpr int Shrink = 4;
    constexpr int SmallWidth = Width / Shrink;
    constexpr int SmallHeight = Height / Shrink;
    std::vector<Vec3> small(static_cast<std::size_t>(SmallWidth) * SmallHeight);
    std::vector<Vec3> other(small.size());
    for (int y = 0; y < Height; ++y) {
        for (int x = 0; x < Width; ++x) {
            const Vec3 c = at(x, y);
            const float peak = std::max({c.x, c.y, c.z, 1e-6f});
            const float kept = std::max(peak - threshold, 0.0f) / peak;
            small[static_cast<std::size_t>(y / Shrink) * SmallWidth + x / Shrink] +=
                c * (kept / (Shrink * Shrink));
        }
    }
    // Three box blurs come close to a Gaussian.
    for (int pass = 0; pass < 3; ++pass) {
        box_blur_rows(small, other, SmallWidth, SmallHeight, radius);
        box_blur_rows(other, small, SmallHeight, SmallWidth, radius);
    }
    for (int y = 0; y < Height; ++y) {
        const float sy = std::clamp((y + 0.5f) / Shrink - 0.5f, 0.0f, SmallHeight - 1.001f);
        const int iy = static_cast<int>(sy);
        for (int x = 0; x < Width; ++x) {
            const float sx = std::clamp((x + 0.5f) / Shrink - 0.5f, 0.0f, SmallWidth - 1.001f);
            const int ix = static_cast<int>(sx);
            const Vec3* p = &small[static_cast<std::size_t>(iy) * SmallWidth + ix];
            const Vec3 glow = mix(mix(p[0], p[1], sx - ix), mix(p[SmallWidth], p[SmallWidth + 1], sx - ix),
                                  sy - iy);
            at(x, y) += glow * strength;
        }
    }
}

void Frame::scale(float factor) {
    for (Vec3& pixel : pixels_) {
        pixel = pixel * factor;
    }
}

void Frame::vignette(float strength) {
    for (int y = 0; y < Height; ++y) {
        for (int x = 0; x < Width; ++x) {
            const Vec2 p = position(x + 0.5f, y + 0.5f);
            const float d = p.x * p.x / (Aspect * Aspect) + p.y * p.y;
            at(x, y) = at(x, y) * (1.0f - strength * d * 0.5f);
        }
    }
}

void Frame::write_yuv(std::vector<std::uint8_t>& out, int seed) const {
    static const ScreenTable screen;
    constexpr std::size_t Luma = static_cast<std::size_t>(Width) * Height;
    out.resize(Luma * 3 / 2);
    const auto quantise = [](float v, float dither) {
        return static_cast<std::uint8_t>(std::clamp(v + dither, 0.0f, 255.0f));
    };
    for (int y = 0; y < Height; y += 2) {
        for (int x = 0; x < Width; x += 2) {
            Vec3 sum;
            for (int k = 0; k < 4; ++k) {
                const std::size_t at = static_cast<std::size_t>(y + k / 2) * Width + x + k % 2;
                const Vec3 c = {screen(pixels_[at].x), screen(pixels_[at].y), screen(pixels_[at].z)};
                const float luma = 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z;
                // A little noise in place of plain rounding keeps smooth skies free of steps.
                out[at] = quantise(16.0f + 219.0f * luma, hash(static_cast<int>(at), seed));
                sum += c;
            }
            const Vec3 c = sum * 0.25f;
            const float luma = 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z;
            const std::size_t at = static_cast<std::size_t>(y / 2) * (Width / 2) + x / 2;
            out[Luma + at] = quantise(128.0f + 224.0f * (c.z - luma) / 1.8556f, 0.5f);
            out[Luma + Luma / 4 + at] = quantise(128.0f + 224.0f * (c.x - luma) / 1.5748f, 0.5f);
        }
    }
}

Mask::Mask() : area_(static_cast<std::size_t>(Stride) * Height) {}

void Mask::add_edge(Vec2 from, Vec2 to) {
    if (from.y == to.y) {
        return;
    }
    const float sign = from.y < to.y ? 1.0f : -1.0f;
    if (sign < 0.0f) {
        std::swap(from, to);
    }
    if (to.y <= 0.0f || from.y >= Height) {
        return;
    }
    const float slope = (to.x - from.x) / (to.y - from.y);
    const int first = std::max(static_cast<int>(std::floor(from.y)), 0);
    const int last = std::min(static_cast<int>(std::ceil(to.y)), Height);
    top_ = std::min(top_, first);
    bottom_ = std::max(bottom_, last);
    for (int y = first; y < last; ++y) {
        const float y0 = std::max(from.y, static_cast<float>(y));
        const float y1 = std::min(to.y, static_cast<float>(y + 1));
        const float amount = (y1 - y0) * sign;
        float x0 = std::clamp(from.x + (y0 - from.y) * slope, 0.0f, static_cast<float>(Width));
        float x1 = std::clamp(from.x + (y1 - from.y) * slope, 0.0f, static_cast<float>(Width));
        if (x0 > x1) {
            std::swap(x0, x1);
        }
        const int i0 = static_cast<int>(x0);
        const int i1 = static_cast<int>(std::ceil(x1));
        left_ = std::min(left_, i0);
        float* row = &area_[static_cast<std::size_t>(y) * Stride];
        if (i1 <= i0 + 1) {
            const float inside = 0.5f * (x0 + x1) - static_cast<float>(i0);
            row[i0] += amount * (1.0f - inside);
            row[i0 + 1] += amount * inside;
            continue;
        }
        // The edge crosses several columns: each takes the part of the area it newly covers.
        const float per_column = amount / (x1 - x0);
        float covered = 0.0f;
        for (int x = i0; x < i1; ++x) {
            const float begin = std::max(x0, static_cast<float>(x));
            const float end = std::min(x1, static_cast<float>(x + 1));
            const float entered = (end - begin) * per_column;
            const float area = entered * (static_cast<float>(x + 1) - 0.5f * (begin + end));
            row[x] += area + covered;
            covered = entered - area;
        }
        row[i1] += covered;
    }
}

void Mask::add_polygon(std::span<const Vec2> points) {
    double doubled = 0.0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Vec2 a = points[i];
        const Vec2 b = points[(i + 1) % points.size()];
        doubled += static_cast<double>(a.x) * b.y - static_cast<double>(b.x) * a.y;
    }
    const auto pixel = [](Vec2 p) {
        return Vec2{p.x / PixelSize + Width * 0.5f, Height * 0.5f - p.y / PixelSize};
    };
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Vec2 a = pixel(points[i]);
        const Vec2 b = pixel(points[(i + 1) % points.size()]);
        // All shapes turn the same way round, so that where they overlap they add up.
        if (doubled > 0.0) {
            add_edge(a, b);
        } else {
            add_edge(b, a);
        }
    }
}

void Mask::add_capsule(Vec2 a, Vec2 b, float radius_a, float radius_b) {
    const Vec2 along = b - a;
    const float distance = length(along);
    if (distance <= std::abs(radius_a - radius_b)) {
        add_disc(radius_a > radius_b ? a : b, std::max(radius_a, radius_b));
        return;
    }
    const float heading = std::atan2(along.y, along.x);
    // Where the two outer tangents touch the end circles.
    const float touch = std::acos((radius_a - radius_b) / distance);
    const float widest = std::max(radius_a, radius_b) / PixelSize;
    const int steps = std::clamp(static_cast<int>(3.0f + std::sqrt(widest) * 2.0f), 3, 40);
    scratch_.clear();
    for (int i = 0; i <= steps; ++i) {
        const float angle = heading - touch + 2.0f * touch * i / steps;
        scratch_.push_back(b + direction(angle) * radius_b);
    }
    for (int i = 0; i <= steps; ++i) {
        const float angle = heading + touch + 2.0f * (Pi - touch) * i / steps;
        scratch_.push_back(a + direction(angle) * radius_a);
    }
    add_polygon(scratch_);
}

void Mask::add_ellipse(Vec2 centre, float rx, float ry, float angle) {
    const Vec2 major = direction(angle) * rx;
    const Vec2 minor = direction(angle + Pi * 0.5f) * ry;
    const int steps =
        std::clamp(static_cast<int>(8.0f + std::sqrt(std::max(rx, ry) / PixelSize) * 4.0f), 8, 160);
    scratch_.clear();
    for (int i = 0; i < steps; ++i) {
        const Vec2 d = direction(2.0f * Pi * i / steps);
        scratch_.push_back(centre + major * d.x + minor * d.y);
    }
    add_polygon(scratch_);
}

void Mask::add_stroke(std::span<const Vec2> points, float radius_from, float radius_to) {
    const float last = static_cast<float>(points.size()) - 1.0f;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        add_capsule(points[i], points[i + 1], mix(radius_from, radius_to, i / last),
                    mix(radius_from, radius_to, (i + 1) / last));
    }
}

void Mask::add_terrain(std::span<const Vec2> ridge, float bottom) {
    std::vector<Vec2> outline(ridge.begin(), ridge.end());
    outline.push_back({ridge.back().x, bottom});
    outline.push_back({ridge.front().x, bottom});
    add_polygon(outline);
}

}  // namespace demo
