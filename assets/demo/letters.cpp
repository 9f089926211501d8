// The title face: round-ended strokes on simple geometry, drawn for this clip.
#include "figures.h"

#include <map>

namespace demo {

namespace {

// Part of an ellipse, angles in degrees counter-clockwise from the right.
Stroke arc(Vec2 centre, Vec2 radius, float from, float to) {
    constexpr int Steps = 44;
    Stroke line;
    for (int i = 0; i <= Steps; ++i) {
        const Vec2 d = direction(mix(from, to, static_cast<float>(i) / Steps) * (Pi / 180.0f));
        line.push_back(centre + Vec2{d.x * radius.x, d.y * radius.y});
    }
    return line;
}

Stroke join(std::initializer_list<Stroke> parts) {
    Stroke line;
    for (const Stroke& part : parts) {
        line.insert(line.end(), part.begin(), part.end());
    }
    return line;
}

// A bowl open to the left: out along `top`, round, and back along `bottom`.
Stroke bowl(float top, float bottom, float width) {
    const float radius = (top - bottom) * 0.5f;
    return join({{{0.0f, top}, {width - radius, top}},
                 arc({width - radius, bottom + radius}, {radius, radius}, 90.0f, -90.0f),
                 {{0.0f, bottom}}});
}

std::map<char, Glyph> make_glyphs() {
    const Stroke stem = {{0.0f, 0.0f}, {0.0f, 1.0f}};
    std::map<char, Glyph> face;
    face['A'] = {0.72f, {{{0.0f, 0.0f}, {0.36f, 1.0f}, {0.72f, 0.0f}}, {{0.13f, 0.32f}, {0.59f, 0.32f}}}};
    face['D'] = {0.66f,
                 {stem, join({{{0.0f, 1.0f}, {0.26f, 1.0f}},
                              arc({0.26f, 0.5f}, {0.4f, 0.5f}, 90.0f, -90.0f),
                              {{0.0f, 0.0f}}})}};
    face['E'] = {0.54f,
                 {{{0.54f, 1.0f}, {0.0f, 1.0f}, {0.0f, 0.0f}, {0.54f, 0.0f}}, {{0.0f, 0.52f}, {0.46f, 0.52f}}}};
    face['G'] = {0.74f, {join({arc({0.4f, 0.5f}, {0.4f, 0.5f}, 48.0f, 328.0f), {{0.74f, 0.46f}, {0.44f, 0.46f}}})}};
    // Two stems side by side need more air between them.
    face['H'] = {0.69f, {stem, {{0.64f, 0.0f}, {0.64f, 1.0f}}, {{0.0f, 0.52f}, {0.64f, 0.52f}}}};
    face['I'] = {0.0f, {stem}};
    // The next letter may lean over the foot, or the open corner would look like a gap.
    face['L'] = {0.4f, {{{0.0f, 1.0f}, {0.0f, 0.0f}, {0.46f, 0.0f}}}};
    face['O'] = {0.82f, {arc({0.41f, 0.5f}, {0.41f, 0.5f}, 0.0f, 360.0f)}};
    face['P'] = {0.58f, {stem, bowl(1.0f, 0.44f, 0.58f)}};
    face['R'] = {0.6f, {stem, bowl(1.0f, 0.46f, 0.58f), {{0.28f, 0.46f}, {0.6f, 0.0f}}}};
    face['S'] = {0.58f,
                 {join({arc({0.29f, 0.75f}, {0.27f, 0.25f}, 35.0f, 250.0f),
                        arc({0.29f, 0.26f}, {0.29f, 0.26f}, 70.0f, -145.0f)})}};
    face['T'] = {0.64f, {{{0.0f, 1.0f}, {0.64f, 1.0f}}, {{0.32f, 1.0f}, {0.32f, 0.0f}}}};
    face['V'] = {0.7f, {{{0.0f, 1.0f}, {0.35f, 0.0f}, {0.7f, 1.0f}}}};
    face['X'] = {0.64f, {{{0.0f, 1.0f}, {0.64f, 0.0f}}, {{0.0f, 0.0f}, {0.64f, 1.0f}}}};
    face['Y'] = {0.68f, {{{0.0f, 1.0f}, {0.34f, 0.48f}, {0.68f, 1.0f}}, {{0.34f, 0.48f}, {0.34f, 0.0f}}}};
    face[' '] = {0.24f, {}};
    return face;
}

}  // namespace

const Glyph& glyph(char letter) {
    static const std::map<char, Glyph> face = make_glyphs();
    return face.at(letter);
}

std::vector<PlacedGlyph> set_text(std::string_view text, Vec2 centre, float height, float gap) {
    float total = -gap;
    for (const char letter : text) {
        total += glyph(letter).width * height + gap;
    }
    std::vector<PlacedGlyph> line;
    float x = centre.x - total * 0.5f;
    for (const char letter : text) {
        const Glyph& shape = glyph(letter);
        line.push_back({&shape, {x, centre.y - height * 0.5f}});
        x += shape.width * height + gap;
    }
    return line;
}

void add_glyph(Mask& mask, const PlacedGlyph& placed, float height, float weight) {
    for (const Stroke& stroke : placed.shape->strokes) {
        Stroke line;
        for (const Vec2 p : stroke) {
            line.push_back(placed.origin + p * height);
        }
        mask.add_stroke(line, weight, weight);
    }
}

}  // namespace demo
