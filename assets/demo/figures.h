// Things that move or stand in silhouette, and the letters of the titles.
#pragma once

#include "canvas.h"

#include <array>
#include <string_view>

namespace demo {

// Side view, facing right. All angles in degrees. Limb angles are measured from straight
// down, forward positive; knee, ankle and elbow are relative to the limb above them.
struct Pose {
    float lean = 0.0f;
    float nod = 0.0f;
    std::array<float, 2> hip{};
    std::array<float, 2> knee{};
    std::array<float, 2> ankle{};
    std::array<float, 2> shoulder{};
    std::array<float, 2> elbow{};
    float lift = 0.0f;    // height of the lowest foot above the ground, in body heights
    float pelvis = 0.0f;  // height of the pelvis where the feet do not decide it, else 0
};
Pose operator+(const Pose& a, const Pose& b);
Pose operator*(const Pose& a, float s);

Pose walk_pose(float cycle);  // one cycle is two steps
Pose run_pose(float cycle);

// Where the parts of a posed body are in the picture.
struct Body {
    float size = 1.0f;
    float facing = 1.0f;  // 1 looks right, -1 left, between them the body is turning
    Vec2 pelvis;
    Vec2 chest;
    Vec2 neck;
    Vec2 head;
    std::array<Vec2, 2> knee;
    std::array<Vec2, 2> ankle;
    std::array<Vec2, 2> toe;
    std::array<Vec2, 2> elbow;
    std::array<Vec2, 2> hand;
};
Body place_body(const Pose& pose, Vec2 ground, float size, float facing);
void add_body(Mask& mask, const Body& body);
// A skirt from the waist over the thighs; `swing` moves its hem.
void add_skirt(Mask& mask, const Body& body, float flare, float swing);
// Hair or cloth streaming from a point, waving with time.
void add_streamer(Mask& mask, Vec2 from, Vec2 reach, float width, float wave, float time);

// A bird seen from ahead, `beat` being the phase of its wings in turns.
void add_bird(Mask& mask, Vec2 centre, float size, float beat, float bank);

void add_grass(Mask& mask, Vec2 root, float height, float bend);
void add_tree(Mask& mask, Vec2 root, float height, int seed, float sway);
void add_pine(Mask& mask, Vec2 root, float height, int seed);

// Letters are strokes in a box one unit high.
using Stroke = std::vector<Vec2>;
struct Glyph {
    float width;
    std::vector<Stroke> strokes;
};
const Glyph& glyph(char letter);
struct PlacedGlyph {
    const Glyph* shape;
    Vec2 origin;
};
// Sets a line of text centred on `centre`, letters `height` high and `gap` apart.
std::vector<PlacedGlyph> set_text(std::string_view text, Vec2 centre, float height, float gap);
void add_glyph(Mask& mask, const PlacedGlyph& placed, float height, float weight);

}  // namespace demo
