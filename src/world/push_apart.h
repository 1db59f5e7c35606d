// Overlap between polygons of planar scenes: after a step bodies are moved out of it, their
// velocities as they are. It is what the linear gaps of a step leave, and what was there before;
// docs/time-stepping.md says more. For bodies that are one convex polygon (collision/outlines.h).
//
// Nonlinear Gauss-Seidel: pair after pair, the depth is measured where the bodies are now, and if
// it is above the limit they are moved apart along the axis of least overlap, each by its share of
// inverse mass. In each pass those pairs are looked at whose bodies have moved since. One worker,
// in the order of the contacts: there are few such pairs.
#pragma once

#include <cstdint>
#include <vector>

#include "collision/contacts.h"
#include "collision/planar_pieces.h"
#include "model/model.h"
#include "model/state.h"
#include "scree/problem.h"

namespace scree {

struct PlanarPolygon;  // model/planar_geometry.h

struct PushWorkspace {
  /// A body as a polygon in the plane.
  struct Outline {
    Frame2 frame{Vec2::Zero(), Turn2{}};  // of the polygon
    Vec2 arm = Vec2::Zero();              // m, from the centre of mass to that frame
    Vec2 inverse_mass = Vec2::Zero();     // 1/kg
    double inverse_inertia = 0.0;         // 1/(kg m^2)
    Turn2 turned;                         // by pushes, since the step
    std::int32_t material = 0;
    bool has_moved = false;
    bool has_news = false;  // it has moved in this pass, and its couples do not know
    const PlanarPolygon* polygon = nullptr;  // none: takes no part
  };
  struct Couple {
    std::int32_t a, b;
    std::int32_t face;  // that held them apart last; of b: -1 - face
    double limit;       // m: how deep they may be
    double room;        // m: they are no deeper while the two have travelled no farther in all
  };
  std::vector<std::int32_t> outlines;  // find_outlines()
  std::vector<Outline> bodies;
  std::vector<Couple> couples;
  std::vector<double> travel;                           // m, by body: the way of its farthest point
  std::vector<std::uint64_t> waiting;                   // one bit a couple: to be looked at
  std::vector<std::uint32_t> first_couple, couples_of;  // those of body k begin at first_couple[k]
  std::vector<std::int32_t> news;                       // bodies that have news
  std::vector<std::uint8_t> is_on_springs;              // bodies with an elastic contact
};

/// Moves bodies of `next` apart that overlap by more than left_overlap(), also where they did
/// before the step, but then no farther than `recovery_speed` allows. What does not overlap is left
/// as it is, to the bit, and so are pairs whose surface has restitution, and bodies with an elastic
/// contact.
void push_apart(const Model& model, const Contacts& contacts, const Problem& problem, State& next,
                PushWorkspace& workspace);

}  // namespace scree
