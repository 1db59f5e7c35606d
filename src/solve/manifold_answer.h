// How the motion of two bodies against each other answers to an impulse at a point between them,
// for eight pairs side by side.
#pragma once

namespace scree {

constexpr int kManifoldLanes = 8;

/// With the velocity of b against a at an arm r from the centre of a written as v + w x r, an
/// impulse p with the torque q about the centre of a adds
///   v += linear p + mixed^T q,    w += mixed p + angular q,
/// all in the frame of the manifold: visits of its points keep six numbers of two bodies.
struct alignas(32) ManifoldAnswer {
  float linear[6][kManifoldLanes];   // 1/kg; xx xy xz yy yz zz
  float mixed[9][kManifoldLanes];    // 1/(kg m), row by row
  float angular[6][kManifoldLanes];  // 1/(kg m^2)
};

}  // namespace scree
