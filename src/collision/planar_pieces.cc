#include "collision/planar_pieces.h"

// Convex pieces meet by separating axes and clipping. What is special is how bodies cross seams.
// Where the top faces of two platforms meet, a body that rests on the first also overlaps, or is
// about to, the corner of the second, and the axis of least overlap there is often a side: the body
// would hit a wall that is not there. So faces that lie flat on each other go first: if such a pair
// keeps the two bodies apart to within kSeam of their size, it is the contact, and where its two
// faces do not overlap there is none. Where two pairs of flat faces compete, corner stands against
// corner. A pair that is level (kFlush) is the floor, on which the other body slides or is about to
// come; level both ways, they merely pass each other, as boxes do in space. Else the longer face is
// taken for the floor if it is level to within kSeam; between faces of like length the push goes
// along the line that halves their angle.
//
// Between pieces that lie apart no face axis speaks of two corners that are nearest to each other.
// They are found by the distance; but not where two flat faces are level, for that is a seam.
//
// Which of two faces wins a tie, and when clipping is to be believed, is as for boxes in space
// (narrow_polyhedral.h), so that a planar scene and its twin in space move alike.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "collision/narrow_polyhedral.h"
#include "collision/triangle.h"

namespace scree {
namespace {

// Of the thinner body: bodies rest with less overlap than this, and a step up this high is a wall.
constexpr double kSeam = 5e-4;
constexpr double kCorner = 5e-3;  // of the thinner body: tips meet that do not face each other
constexpr double kFlat =
    0.99;  // cos 8 degrees: faces this close to parallel lie flat on each other
constexpr double kSameSide = 0.98;   // cosine
constexpr double kFloorRatio = 1.5;  // of lengths: from here on the longer face is the floor
constexpr double kNone = -std::numeric_limits<double>::infinity();

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// A pair of faces and the distance along the normal of one of them. Left as it is until it is
/// known: there is room for ten of them for every pair of bodies.
struct Axis {
  double separation;
  bool is_of_b;     // whose normal it is
  int face;         // of the shape with the normal
  int incident;     // the face of the other that looks most against it, or -1
  double flatness;  // cosine of the angle between the two
  Vec2 normal;      // from a to b, frame of a
};

/// The face of `piece` that looks most against `direction` (in its frame); inner edges are no
/// faces.
void find_incident(const Piece& piece, const Vec2& direction, Axis& axis) {
  // Without branches: which face it will be is anybody's guess.
  double most = kNone;
  int incident = -1;
  for (int j = 0; j < piece.count; ++j) {
    const double flatness = piece.is_inner[j] == 0 ? -direction.dot(piece.normals[j]) : kNone;
    const bool is_better = flatness > most;
    most = is_better ? flatness : most;
    incident = is_better ? j : incident;
  }
  axis.incident = incident;
  axis.flatness = incident >= 0 ? most : 0.0;
}

double lowest(const Piece& piece, const Vec2& direction) {
  double low = direction.dot(piece.points[0]);
  for (int j = 1; j < piece.count; ++j) low = std::min(low, direction.dot(piece.points[j]));
  return low;
}

/// The best axis of either shape (if it has a face) and the flat pairs within the seam's width.
struct AxisSearch {
  Axis best_a, best_b;
  bool has_a = false, has_b = false;
  std::array<Axis, 8> flat;
  int flat_count = 0;
};

/// The axis of a, unless that of b is better by more than rounding: resting contacts would flip
/// between the two.
const Axis* better_of(const Axis* of_a, const Axis* of_b, double half_thickness) {
  if (of_a == nullptr || of_b == nullptr) return of_a == nullptr ? of_b : of_a;
  const bool is_same = of_a->normal.dot(of_b->normal) > kSameAxis;
  const double bias = (is_same ? kSameAxisBias : kTieBias) * half_thickness;
  return of_b->separation > of_a->separation + bias ? of_b : of_a;
}

/// The best of the flat pairs that do not look to the side of `apart_from` (if given), or null.
const Axis* best_flat(const AxisSearch& search, const Axis* apart_from, double half_thickness) {
  const Axis *of_a = nullptr, *of_b = nullptr;
  for (int k = 0; k < search.flat_count; ++k) {
    const Axis& axis = search.flat[at(k)];
    if (apart_from != nullptr && axis.normal.dot(apart_from->normal) > kSameSide) continue;
    const Axis*& best = axis.is_of_b ? of_b : of_a;
    if (best == nullptr || axis.separation > best->separation) best = &axis;
  }
  return better_of(of_a, of_b, half_thickness);
}

/// The axis of one face.
Axis axis_of(const Piece& a, const Piece& b, const Frame2& b_in_a, bool is_of_b, int face,
             double separation) {
  Axis axis;
  axis.separation = separation;
  axis.is_of_b = is_of_b;
  axis.face = face;
  if (is_of_b) {
    const Vec2 in_a = b_in_a.turn * b.normals[face];
    axis.normal = -in_a;
    find_incident(a, in_a, axis);
  } else {
    axis.normal = a.normals[face];
    find_incident(b, b_in_a.turn.back(a.normals[face]), axis);
  }
  return axis;
}

/// The axes of one of the two shapes.
bool search_axes(const Piece& a, const Piece& b, const Frame2& b_in_a, bool is_of_b, double seam,
                 const Separations& separations, AxisSearch& search) {
  const Piece& piece = is_of_b ? b : a;
  const int best = is_of_b ? separations.best_b : separations.best_a;
  const int near = is_of_b ? separations.near_b : separations.near_a;
  if (best < 0) return false;
  const double* along = is_of_b ? separations.of_b : separations.of_a;
  const int stride = separations.stride;
  Axis& found = is_of_b ? search.best_b : search.best_a;
  found = axis_of(a, b, b_in_a, is_of_b, best, along[best * stride]);
  if (found.incident < 0) return false;
  const auto add_flat = [&](const Axis& axis) {
    if (axis.flatness >= kFlat && search.flat_count < static_cast<int>(search.flat.size()))
      search.flat[at(search.flat_count++)] = axis;
  };
  if (near == 1) {
    add_flat(found);
    return true;
  }
  for (int i = 0; near > 1 && i < piece.count; ++i) {
    if (piece.is_inner[i] != 0 || along[i * stride] < -seam) continue;
    add_flat(i == best ? found : axis_of(a, b, b_in_a, is_of_b, i, along[i * stride]));
  }
  return true;
}

void clip(const Piece& a, const Piece& b, const Frame2& b_in_a, const Axis& axis, double margin,
          double seam, PlanarContacts& out) {
  const Piece &reference = axis.is_of_b ? b : a, &other = axis.is_of_b ? a : b;
  const auto into_reference = [&](const Vec2& v) {
    return axis.is_of_b ? b_in_a.to_frame(v) : b_in_a.to_world(v);
  };
  const Vec2& normal = reference.normals[axis.face];
  const Vec2 tangent(-normal.y(), normal.x());
  const Vec2& start = reference.points[axis.face];
  const double length = reference.lengths[axis.face];
  const int ends[2] = {axis.incident, (axis.incident + 1) % other.count};
  double along[2], height[2];
  for (int k = 0; k < 2; ++k) {
    const Vec2 offset = into_reference(other.points[ends[k]]) - start;
    along[k] = tangent.dot(offset);
    height[k] = normal.dot(offset);
  }
  // The incident face runs against the tangent: its first end is the far one.
  const double run = along[0] - along[1];
  double high = std::min(along[0], length), low = std::max(along[1], 0.0);
  if (high < low) {
    // Faces that just miss each other at a seam still carry one point; farther apart they do not
    // meet.
    if (axis.flatness < kFlat || low - high > seam) return;
    high = low = std::clamp(0.5 * (high + low), 0.0, length);
  }
  const bool is_point = high - low < 1e-6 * std::min(a.thickness, b.thickness);
  for (int k = 0; k < (is_point ? 1 : 2); ++k) {
    const double place = is_point ? 0.5 * (high + low) : k == 0 ? high : low;
    const bool is_end = place == along[k];
    // A point where the outline turns inward can only be touched by something flat upon it.
    if (is_end && other.is_reflex[ends[k]] != 0 && axis.flatness < kFlat) continue;
    const double share = run > 0.0 ? std::clamp((along[0] - place) / run, 0.0, 1.0) : 0.0;
    const double gap = height[0] + share * (height[1] - height[0]);
    if (gap > margin) continue;
    const Vec2 in_reference = start + place * tangent + (0.5 * gap) * normal;
    const Vec2 point = axis.is_of_b ? b_in_a.to_world(in_reference) : in_reference;
    const auto name = static_cast<std::uint32_t>((axis.is_of_b ? 4 : 0) + (is_end ? 2 : 0) + k);
    out.add({point, axis.normal, gap,
             feature_hash(static_cast<std::uint32_t>(axis.face),
                          static_cast<std::uint32_t>(axis.incident), name),
             axis.is_of_b ? NormalOf::b : NormalOf::a});
  }
}

/// A corner of the whole shape, not one that cutting it into pieces made or that points inward.
bool is_outer_corner(const Piece& piece, int k) {
  const int last = (k + piece.count - 1) % piece.count;
  return piece.is_inner[k] == 0 && piece.is_inner[last] == 0 && piece.is_reflex[k] == 0;
}

/// The two corners nearest to each other, if within the margin.
void touch_nearest_corners(const Piece& a, const Piece& b, const Frame2& b_in_a, double margin,
                           PlanarContacts& out) {
  int nearest_i = -1, nearest_j = -1;
  double nearest = std::numeric_limits<double>::infinity();
  for (int j = 0; j < b.count; ++j) {
    const Vec2 corner = b_in_a.to_world(b.points[j]);
    for (int i = 0; i < a.count; ++i) {
      const double distance_squared = (corner - a.points[i]).squaredNorm();
      if (distance_squared >= nearest) continue;
      nearest = distance_squared;
      nearest_i = i;
      nearest_j = j;
    }
  }
  const double gap = std::sqrt(nearest);
  if (gap > margin || !is_outer_corner(a, nearest_i) || !is_outer_corner(b, nearest_j)) return;
  const Vec2 corner = b_in_a.to_world(b.points[nearest_j]);
  const Vec2& start = a.points[nearest_i];
  out.add({0.5 * (start + corner), (corner - start) / gap, gap,
           feature_hash(static_cast<std::uint32_t>(nearest_i),
                        static_cast<std::uint32_t>(nearest_j), 9)});
}

/// Clipping; and the nearest corners where the pieces lie apart and these are nearer than anything
/// clipping finds.
void clip_or_touch_corners(const Piece& a, const Piece& b, const Frame2& b_in_a, const Axis& axis,
                           double margin, double seam, PlanarContacts& out) {
  clip(a, b, b_in_a, axis, margin, seam, out);
  if (axis.separation <= (axis.flatness >= kFlat ? seam : 0.0)) return;
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < out.count; ++k) least = std::min(least, out.list[at(k)].gap);
  if (is_clipping_true(least, axis.separation, 0.5 * std::min(a.thickness, b.thickness))) return;
  touch_nearest_corners(a, b, b_in_a, std::min(margin, least), out);
}

/// Corner against corner, pushed apart along the line that halves the angle of the two flat pairs.
/// False when the faces of either shape are not neighbours.
bool push_corners(const Piece& a, const Piece& b, const Frame2& b_in_a, const Axis& first,
                  const Axis& second, double margin, PlanarContacts& out) {
  const auto shared = [](int i, int j, int count) {
    if ((i + 1) % count == j) return j;
    return (j + 1) % count == i ? i : -1;
  };
  const auto face_of_a = [](const Axis& x) { return x.is_of_b ? x.incident : x.face; };
  const auto face_of_b = [](const Axis& x) { return x.is_of_b ? x.face : x.incident; };
  const int i = shared(face_of_a(first), face_of_a(second), a.count);
  const int j = shared(face_of_b(first), face_of_b(second), b.count);
  if (i < 0 || j < 0) return false;
  const Vec2 normal = (first.normal + second.normal).normalized();
  const Vec2 corner = b_in_a.to_world(b.points[j]);
  // Two bodies are in each other by no more than along the better of the two axes; along the line
  // between these the corners would have farther to go.
  const double best = std::max(first.separation, second.separation);
  const double gap = std::max(normal.dot(corner - a.points[i]), std::min(best, 0.0));
  if (gap <= margin) {
    const Vec2 middle = 0.5 * (a.points[i] + corner);
    out.add({middle, normal, gap,
             feature_hash(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), 8)});
  }
  return true;
}

/// What follows the search.
void touch_along(const Piece& a, const Piece& b, const Frame2& b_in_a, double margin,
                 const AxisSearch& search, PlanarContacts& out) {
  const double thickness = std::min(a.thickness, b.thickness);
  const double seam = kSeam * thickness, half_thickness = 0.5 * thickness;
  const Axis& best = *better_of(search.has_a ? &search.best_a : nullptr,
                                search.has_b ? &search.best_b : nullptr, half_thickness);
  const Axis* first = best_flat(search, nullptr, half_thickness);
  const Axis* second = first != nullptr ? best_flat(search, first, half_thickness) : nullptr;
  const bool is_square =
      second != nullptr && std::abs(first->normal.dot(second->normal)) < kRightAngle;
  const double lesser = second != nullptr ? std::min(first->separation, second->separation) : kNone;
  if (second == nullptr || (is_square && lesser < -seam)) {
    const bool is_level = first != nullptr && first->separation >= -seam;
    clip_or_touch_corners(a, b, b_in_a, is_level ? *first : best, margin, seam, out);
    return;
  }
  const double level = kFlush * half_thickness;
  const bool is_first_level = std::abs(first->separation) <= level;
  const bool is_second_level = std::abs(second->separation) <= level;
  if (is_square && is_first_level && is_second_level) return;
  const Axis* floor = is_first_level == is_second_level ? nullptr : is_first_level ? first : second;
  const bool is_near = std::max(std::abs(first->separation), std::abs(second->separation)) <= seam;
  const auto longer = [&](const Axis& x) {
    return x.is_of_b ? std::max(b.lengths[x.face], a.lengths[x.incident])
                     : std::max(a.lengths[x.face], b.lengths[x.incident]);
  };
  const double first_length = longer(*first), second_length = longer(*second);
  if (floor != nullptr && !is_near) {
    clip(a, b, b_in_a, *floor, margin, seam, out);
  } else if (lesser > seam) {
    if (!push_corners(a, b, b_in_a, *first, *second, margin, out))
      clip_or_touch_corners(a, b, b_in_a, best, margin, seam, out);
  } else if (first_length >= kFloorRatio * second_length) {
    clip(a, b, b_in_a, *first, margin, seam, out);
  } else if (second_length >= kFloorRatio * first_length) {
    clip(a, b, b_in_a, *second, margin, seam, out);
  } else if (floor != nullptr) {
    clip(a, b, b_in_a, *floor, margin, seam, out);
  } else if (!push_corners(a, b, b_in_a, *first, *second, margin, out)) {
    clip(a, b, b_in_a, best, margin, seam, out);
  }
}

}  // namespace

double corner_depth(double thickness_a, double thickness_b) {
  return kCorner * std::min(thickness_a, thickness_b);
}

void touch_pieces(const Piece& a, const Piece& b, const Frame2& b_in_a, double margin,
                  const Separations& separations, PlanarContacts& out) {
  const double corner = corner_depth(a.thickness, b.thickness);
  AxisSearch search;
  search.has_a = search_axes(a, b, b_in_a, false, corner, separations, search);
  search.has_b = search_axes(a, b, b_in_a, true, corner, separations, search);
  if (search.has_a || search.has_b) touch_along(a, b, b_in_a, margin, search, out);
}

void touch_pieces(const Piece& a, const Piece& b, const Frame2& b_in_a, double margin,
                  PlanarContacts& out) {
  thread_local std::vector<double> of_a, of_b;
  of_a.resize(at(a.count));
  of_b.resize(at(b.count));
  const double corner = corner_depth(a.thickness, b.thickness);
  Separations separations{of_a.data(), of_b.data(), 1, -1, -1, 0, 0};
  for (int i = 0; i < a.count; ++i) {
    const Vec2& normal = a.normals[i];
    const double s =
        lowest(b, b_in_a.turn.back(normal)) + normal.dot(b_in_a.position) - a.offsets[i];
    if (s > margin) return;
    of_a[at(i)] = s;
    if (a.is_inner[i] != 0) continue;
    if (separations.best_a < 0 || s > of_a[at(separations.best_a)]) separations.best_a = i;
    separations.near_a += s >= -corner ? 1 : 0;
  }
  for (int i = 0; i < b.count; ++i) {
    const Vec2 in_a = b_in_a.turn * b.normals[i];
    const double s = lowest(a, in_a) - b.offsets[i] - in_a.dot(b_in_a.position);
    if (s > margin) return;
    of_b[at(i)] = s;
    if (b.is_inner[i] != 0) continue;
    if (separations.best_b < 0 || s > of_b[at(separations.best_b)]) separations.best_b = i;
    separations.near_b += s >= -corner ? 1 : 0;
  }
  touch_pieces(a, b, b_in_a, margin, separations, out);
}

}  // namespace scree
