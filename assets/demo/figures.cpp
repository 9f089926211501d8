#include "figures.h"

namespace demo {

namespace {

constexpr int KeysPerCycle = 10;
using Track = std::array<float, KeysPerCycle>;

// A smooth closed curve (Catmull-Rom) through evenly spaced keys.
float sample_track(const Track& keys, float cycle) {
    const float scaled = (cycle - std::floor(cycle)) * KeysPerCycle;
    const int i = static_cast<int>(scaled);
    const float t = scaled - static_cast<float>(i);
    const auto key = [&](int k) { return keys[(k + KeysPerCycle) % KeysPerCycle]; };
    const float a = key(i - 1);
    const float b = key(i);
    const float c = key(i + 1);
    const float d = key(i + 2);
    return b + 0.5f * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
}

// Keys start where the heel (walking) or the ball of the foot (running) meets the ground.
constexpr Track WalkHip = {28, 22, 12, 2, -8, -14, -6, 13, 26, 31};
constexpr Track WalkKnee = {3, 14, 12, 6, 4, 12, 38, 60, 42, 12};
constexpr Track WalkAnkle = {2, -6, 3, 7, 10, 2, -20, -8, 0, 4};
constexpr Track RunHip = {36, 26, 8, -11, -21, -12, 16, 46, 56, 48};
constexpr Track RunKnee = {16, 40, 36, 20, 16, 56, 100, 112, 78, 30};
constexpr Track RunAnkle = {4, 16, 16, 0, -28, -26, -14, -6, 2, 6};

float radians(float degrees) { return degrees * (Pi / 180.0f); }

Vec2 limb(float degrees) { return {std::sin(radians(degrees)), -std::cos(radians(degrees))}; }

template <typename Member>
void combine(Pose& to, const Pose& a, const Pose& b, Member member) {
    for (int side = 0; side < 2; ++side) {
        (to.*member)[side] = (a.*member)[side] + (b.*member)[side];
    }
}

constexpr std::array LimbAngles = {&Pose::hip, &Pose::knee, &Pose::ankle, &Pose::shoulder,
                                   &Pose::elbow};

}  // namespace

Pose operator+(const Pose& a, const Pose& b) {
    Pose sum;
    sum.lean = a.lean + b.lean;
    sum.nod = a.nod + b.nod;
    sum.lift = a.lift + b.lift;
    sum.pelvis = a.pelvis + b.pelvis;
    for (const auto member : LimbAngles) {
        combine(sum, a, b, member);
    }
    return sum;
}

Pose operator*(const Pose& a, float s) {
    Pose scaled = a;
    scaled.lean *= s;
    scaled.nod *= s;
    scaled.lift *= s;
    scaled.pelvis *= s;
    for (const auto member : LimbAngles) {
        for (float& angle : scaled.*member) {
            angle *= s;
        }
    }
    return scaled;
}

Pose walk_pose(float cycle) {
    Pose pose;
    pose.lean = 4.0f;
    for (int side = 0; side < 2; ++side) {
        const float own = cycle + 0.5f * side;
        pose.hip[side] = sample_track(WalkHip, own);
        pose.knee[side] = sample_track(WalkKnee, own);
        pose.ankle[side] = sample_track(WalkAnkle, own);
        const float swing = std::cos(2.0f * Pi * own);
        pose.shoulder[side] = -4.0f - 24.0f * swing;
        pose.elbow[side] = 20.0f - 12.0f * swing;
    }
    return pose;
}

Pose run_pose(float cycle) {
    Pose pose;
    pose.lean = 13.0f + 2.0f * std::cos(4.0f * Pi * cycle);
    pose.nod = -6.0f;
    for (int side = 0; side < 2; ++side) {
        const float own = cycle + 0.5f * side;
        pose.hip[side] = sample_track(RunHip, own);
        pose.knee[side] = sample_track(RunKnee, own);
        pose.ankle[side] = sample_track(RunAnkle, own);
        const float swing = std::cos(2.0f * Pi * (own - 0.02f));
        pose.shoulder[side] = -14.0f - 46.0f * swing;
        pose.elbow[side] = 92.0f - 22.0f * swing;
    }
    // A runner springs: highest between two steps, lowest over the bent knee.
    pose.pelvis = 0.5f + 0.022f * std::cos(4.0f * Pi * (cycle - 0.45f));
    return pose;
}

Body place_body(const Pose& pose, Vec2 ground, float size, float facing) {
    constexpr float Thigh = 0.25f;
    constexpr float Shank = 0.245f;
    constexpr float Foot = 0.115f;
    constexpr float UpperArm = 0.165f;
    constexpr float Forearm = 0.19f;
    Body body;
    body.size = size;
    body.facing = facing;
    const Vec2 spine = {std::sin(radians(pose.lean)), std::cos(radians(pose.lean))};
    body.chest = spine * 0.2f;
    body.neck = spine * 0.3f;
    const float tilt = radians(pose.lean * 0.6f + pose.nod);
    body.head = body.neck + Vec2{std::sin(tilt), std::cos(tilt)} * 0.1f + Vec2{0.012f, 0.0f};
    float lowest = 0.0f;
    for (int side = 0; side < 2; ++side) {
        const float shank = pose.hip[side] - pose.knee[side];
        body.knee[side] = limb(pose.hip[side]) * Thigh;
        body.ankle[side] = body.knee[side] + limb(shank) * Shank;
        body.toe[side] = body.ankle[side] + limb(shank + 76.0f + pose.ankle[side]) * Foot;
        lowest = std::min({lowest, body.ankle[side].y - 0.03f, body.toe[side].y - 0.012f});
        const Vec2 joint = mix(body.chest, body.neck, 0.72f);
        const float upper = pose.shoulder[side] + pose.lean * 0.3f;
        body.elbow[side] = joint + limb(upper) * UpperArm;
        body.hand[side] = body.elbow[side] + limb(upper + pose.elbow[side]) * Forearm;
    }
    const float raised = pose.pelvis > 0.0f ? pose.pelvis : pose.lift - lowest;
    const auto place = [&](Vec2& p) {
        p = ground + Vec2{p.x * facing, p.y + raised} * size;
    };
    place(body.pelvis);
    place(body.chest);
    place(body.neck);
    place(body.head);
    for (auto* pair : {&body.knee, &body.ankle, &body.toe, &body.elbow, &body.hand}) {
        place((*pair)[0]);
        place((*pair)[1]);
    }
    return body;
}

void add_body(Mask& mask, const Body& body) {
    const float s = body.size;
    const Vec2 shoulder = mix(body.chest, body.neck, 0.72f);
    const Vec2 waist = mix(body.pelvis, body.chest, 0.5f);
    mask.add_capsule(body.pelvis, waist, 0.064f * s, 0.048f * s);
    mask.add_capsule(waist, body.chest, 0.048f * s, 0.066f * s);
    mask.add_capsule(body.chest, shoulder, 0.066f * s, 0.05f * s);
    mask.add_capsule(shoulder, body.head, 0.034f * s, 0.024f * s);
    // Skull, then face: two ovals give a profile with a chin.
    mask.add_ellipse(body.head + Vec2{-0.008f * body.facing, 0.012f} * s, 0.056f * s, 0.054f * s, 0.0f);
    mask.add_ellipse(body.head + Vec2{0.014f * body.facing, -0.016f} * s, 0.036f * s, 0.05f * s,
                     0.25f * body.facing);
    for (int side = 0; side < 2; ++side) {
        const Vec2 knee = body.knee[side];
        const Vec2 ankle = body.ankle[side];
        mask.add_capsule(body.pelvis, mix(body.pelvis, knee, 0.4f), 0.06f * s, 0.056f * s);
        mask.add_capsule(mix(body.pelvis, knee, 0.4f), knee, 0.056f * s, 0.036f * s);
        const Vec2 calf = mix(knee, ankle, 0.35f);
        mask.add_capsule(knee, calf, 0.036f * s, 0.039f * s);
        mask.add_capsule(calf, ankle, 0.039f * s, 0.021f * s);
        mask.add_capsule(ankle, body.toe[side], 0.025f * s, 0.012f * s);
        mask.add_capsule(shoulder, body.elbow[side], 0.036f * s, 0.024f * s);
        mask.add_capsule(body.elbow[side], body.hand[side], 0.025f * s, 0.014f * s);
    }
}

void add_skirt(Mask& mask, const Body& body, float flare, float swing) {
    const float s = body.size;
    const Vec2 waist = mix(body.pelvis, body.chest, 0.45f);
    const float f = body.facing;
    // The hem spans both thighs, whichever leg is in front.
    Vec2 front = mix(body.pelvis, body.knee[0], 0.72f);
    Vec2 back = mix(body.pelvis, body.knee[1], 0.72f);
    if ((front.x - back.x) * f < 0.0f) {
        std::swap(front, back);
    }
    front = front + Vec2{(0.05f + flare) * f, 0.0f} * s;
    back = back + Vec2{-(0.06f + flare + swing) * f, swing * 0.5f} * s;
    std::vector<Vec2> outline = {waist + Vec2{0.045f * f, 0.0f} * s, front};
    for (int i = 1; i < 8; ++i) {
        const float t = i / 8.0f;
        outline.push_back(mix(front, back, t) +
                          Vec2{0.0f, -0.03f + 0.014f * std::sin(t * 14.0f + swing * 30.0f)} * s);
    }
    outline.push_back(back);
    outline.push_back(waist + Vec2{-0.045f * f, 0.0f} * s);
    mask.add_polygon(outline);
}

void add_streamer(Mask& mask, Vec2 from, Vec2 reach, float width, float wave, float time) {
    constexpr int Points = 18;
    const Vec2 side = {-reach.y, reach.x};
    Stroke line;
    for (int i = 0; i < Points; ++i) {
        const float t = static_cast<float>(i) / (Points - 1);
        const float swing = wave * t * (std::sin(t * 6.0f - time) + 0.4f * std::sin(t * 11.0f - time * 1.7f));
        line.push_back(from + reach * t + side * swing);
    }
    mask.add_stroke(line, width, width * 0.18f);
}

void add_bird(Mask& mask, Vec2 centre, float size, float beat, float bank) {
    const float phase = 2.0f * Pi * beat;
    const Vec2 axis = direction(bank);
    const Vec2 up = {-axis.y, axis.x};
    const auto place = [&](float x, float y) { return centre + (axis * x + up * y) * size; };
    for (const float side : {-1.0f, 1.0f}) {
        // The outer wing follows the inner one a little later, which makes the stroke supple.
        const float inner = 0.25f + 0.55f * std::sin(phase);
        const float outer = inner - 0.35f + 0.65f * std::sin(phase - 1.1f);
        const float reach = side > 0.0f ? 0.92f : 1.0f;
        const Vec2 wrist = direction(inner) * 0.48f;
        const Vec2 tip = wrist + direction(outer) * 0.62f;
        const auto at = [&](Vec2 p, float drop) { return place(side * reach * p.x, p.y - drop); };
        std::vector<Vec2> wing;
        constexpr int Points = 12;
        for (int i = 0; i <= Points; ++i) {
            const float t = static_cast<float>(i) / Points;
            wing.push_back(at(wrist * (2.0f * t * (1.0f - t) * 1.25f) + tip * (t * t), -0.02f));
        }
        for (int i = Points; i >= 0; --i) {
            const float t = static_cast<float>(i) / Points;
            const float chord = 0.17f * std::pow(1.0f - t, 0.7f) * (1.0f + 0.25f * std::sin(t * 9.0f));
            wing.push_back(at(wrist * (2.0f * t * (1.0f - t) * 1.25f) + tip * (t * t), chord));
        }
        mask.add_polygon(wing);
    }
    mask.add_capsule(place(0.04f, 0.02f), place(-0.02f, -0.13f), 0.075f * size, 0.035f * size);
    mask.add_capsule(place(0.05f, 0.02f), place(0.1f, 0.03f), 0.055f * size, 0.015f * size);
}

void add_grass(Mask& mask, Vec2 root, float height, float bend) {
    constexpr int Points = 5;
    std::array<Vec2, 2 * Points + 1> outline;
    const float half = 0.0022f + 0.022f * height;
    for (int i = 0; i < Points; ++i) {
        const float t = static_cast<float>(i) / Points;
        const Vec2 spine = root + Vec2{bend * t * t * height, (t - 0.15f * bend * bend * t * t) * height};
        const float w = half * (1.0f - t);
        outline[i] = spine - Vec2{w, 0.0f};
        outline[2 * Points - i] = spine + Vec2{w, 0.0f};
    }
    outline[Points] = root + Vec2{bend * height, (1.0f - 0.15f * bend * bend) * height};
    mask.add_polygon(outline);
}

namespace {

void add_branch(Mask& mask, Vec2 from, float angle, float length, float radius, int depth, int seed,
                float sway) {
    const float turn = angle + sway * 0.02f * static_cast<float>(7 - depth);
    const Vec2 to = from + direction(turn) * length;
    mask.add_capsule(from, to, radius, radius * 0.68f);
    if (depth == 0) {
        return;
    }
    const int children = hash(seed, 11) > 0.55f ? 3 : 2;
    for (int i = 0; i < children; ++i) {
        const int child = seed * 5 + i + 1;
        const float spread = (static_cast<float>(i) / static_cast<float>(children - 1) - 0.5f) * 1.15f;
        add_branch(mask, to, turn + spread + (hash(child, 3) - 0.5f) * 0.45f,
                   length * (0.66f + 0.2f * hash(child, 5)), radius * 0.64f, depth - 1, child, sway);
    }
}

}  // namespace

void add_tree(Mask& mask, Vec2 root, float height, int seed, float sway) {
    add_branch(mask, root, Pi * 0.5f + (hash(seed, 9) - 0.5f) * 0.2f, height * 0.27f, height * 0.022f, 6,
               seed, sway);
}

void add_pine(Mask& mask, Vec2 root, float height, int seed) {
    constexpr int Tiers = 9;
    std::vector<Vec2> left;
    std::vector<Vec2> right;
    for (int i = 0; i < Tiers; ++i) {
        const float t = static_cast<float>(i) / Tiers;
        const float y = height * (0.08f + 0.92f * t);
        const float reach = height * 0.2f * (1.0f - t) * (0.75f + 0.5f * hash(seed, i));
        const float other = height * 0.2f * (1.0f - t) * (0.75f + 0.5f * hash(seed, i + 50));
        left.push_back(root + Vec2{-reach, y - height * 0.03f});
        left.push_back(root + Vec2{-reach * 0.35f, y + height * 0.045f});
        right.push_back(root + Vec2{other, y - height * 0.03f});
        right.push_back(root + Vec2{other * 0.35f, y + height * 0.045f});
    }
    left.push_back(root + Vec2{0.0f, height * 1.03f});
    left.insert(left.end(), right.rbegin(), right.rend());
    mask.add_polygon(left);
    mask.add_capsule(root, root + Vec2{0.0f, height * 0.3f}, height * 0.018f, height * 0.012f);
}

}  // namespace demo
