// State -> contacts: the output of the collision stage.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/model.h"
#include "model/state.h"

namespace scree {

/// The body to whose face a normal belongs, and with which it turns. Neither: unknown, or between
/// two corners. Only planar polygons say it.
enum class NormalOf : std::uint8_t { neither, a, b };

/// One contact point. Body a has the lower index; the normal points from a to b.
struct Contact {
  std::int32_t a = 0, b = 0;
  std::uint16_t material_a = 0, material_b = 0;  // there is a table of all pairs: never more
  NormalOf normal_of = NormalOf::neither;
  Vec3 point = Vec3::Zero();  // m, world, midway between the two surfaces
  Vec3 normal = Vec3::UnitZ();
  double gap = 0.0;  // m, > 0 apart
  std::uint64_t feature =
      0;  // the same from step to step while the same features touch; unique within (a, b)
};

struct CollisionCounts {
  int colliders = 0, pairs = 0, contacts = 0;
  double broad_ms = 0.0, narrow_ms = 0.0, order_ms = 0.0;      // wall time of its parts
  double broad_instructions = 0.0, narrow_instructions = 0.0;  // 0 unless they are counted
};

/// Ordered by (a, b, feature), so that the result does not depend on how it was found.
struct Contacts {
  std::vector<Contact> list;
  /// Convex polygons of planar scenes whose bounds overlap and that have no contact: too far apart,
  /// or level faces that miss each other along their plane. They may meet within the step all the
  /// same, where a blow drives one of them farther than its velocity said.
  std::vector<std::pair<std::int32_t, std::int32_t>> passing;
  CollisionCounts counts;
};

/// Finds contacts. One object per world; keeps its memory between steps.
class CollisionBackend {
 public:
  virtual ~CollisionBackend() = default;
  /// Contacts that are closed, or may close within `step` at the present velocities.
  virtual void find_contacts(const Model& model, const State& state, double step,
                             Contacts& contacts) = 0;
  /// Once true, nobody waits for the contacts: what find_contacts() then returns is not all.
  const std::atomic<bool>* give_up = nullptr;
};

/// "scree", or "bullet" where it was built in. Throws InputError naming the ones there are.
std::unique_ptr<CollisionBackend> make_collision_backend(const std::string& name);
std::vector<std::string> collision_backends();

}  // namespace scree
