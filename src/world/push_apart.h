// Overlap that a step made because its gaps are linear: bodies are moved out of it at the end of
// the step, their velocities as they are. For planar scenes of convex polygons without joints;
// docs/time-stepping.md says what it is for.
//
// Nonlinear Gauss-Seidel: pair after pair, the depth is measured where the bodies are now, and if
// it is above the limit they are moved apart along the axis of least overlap, each by its share of
// inverse mass, until half the limit is left. Pairs whose bodies have not moved since are passed
// over. One worker, in the order of the contacts: there are few such pairs.
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
    double angle = 0.0;                   // rad, by which it has been turned
    std::int32_t material = 0;
    int moved = 0;                           // the number of the last push that moved it
    const PlanarPolygon* polygon = nullptr;  // none: takes no part
  };
  struct Couple {
    std::int32_t a, b;
    std::int32_t face;     // that held them apart last; of b: -1 - face
    std::int32_t checked;  // pushes made when they were last looked at; -1: they overlap
    double limit;          // m: how deep they may be
  };
  std::vector<Outline> bodies;
  std::vector<Couple> couples;
};

/// Moves bodies of `next` that overlap by more than 5e-4 of the thinner one and by more than before
/// the step: old overlap is undone by velocities, and is not to be undone twice. What does not is
/// left as it is, to the bit, and so are pairs whose surface has restitution.
void push_apart(const Model& model, const Contacts& contacts, const Problem& problem, State& next,
                PushWorkspace& workspace);

}  // namespace scree
