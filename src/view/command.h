// What a page asks for, read strictly: docs/viewer-protocol.md, "From the page".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/scene_file.h"
#include "scree/math.h"
#include "view/snapshot.h"

namespace scree {

struct Want {
  FrameWishes wishes;
  std::vector<int> watch;  // bodies
};
struct Acknowledge {
  std::uint32_t sequence = 0;
};
struct WantFrames {
  int from = 0, count = 1, stride = 1;
};
struct WantSteps {};
struct WantTrack {
  int body = 0;
};
struct Play {};
struct Pause {};
struct MakeSteps {
  int count = 1;
};
struct SetSpeed {
  double factor = 1.0;  // times real time, 0: as fast as it can
};
struct Reset {};
struct Drag {
  int body = 0;
  Vec3 point = Vec3::Zero();   // m, in the body frame
  Vec3 target = Vec3::Zero();  // m, world
};
struct Release {};
struct Throw {
  Vec3 position = Vec3::Zero();  // m
  Vec3 velocity = Vec3::Zero();  // m/s
  double radius = 0.1;           // m
  double density = 1000.0;       // kg/m^3
};
struct Change {
  struct Contact {  // of a material, or of a pair of two
    std::string a, b;
    std::optional<double> friction, restitution;
  };
  std::optional<Vec3> gravity;  // m/s^2
  std::optional<std::string> solver, law;
  std::optional<double> tolerance;
  std::optional<Contact> material, pair;
};
struct Restart {
  Overrides parameters;
};

using Command = std::variant<Want, Acknowledge, WantFrames, WantSteps, WantTrack, Play, Pause,
                             MakeSteps, SetSpeed, Reset, Drag, Release, Throw, Change, Restart>;

/// A reset or a restart: the step under way counts for nothing.
inline bool starts_anew(const Command& command) {
  return std::holds_alternative<Reset>(command) || std::holds_alternative<Restart>(command);
}

struct Request {
  std::string type;  // as the message named it, empty when it did not
  std::optional<std::int64_t> id;
  Command command;
};

constexpr std::size_t kMostWatched = 32;

/// Throws InputError: `type.key must be ..., got ...`. `request.type` and `request.id` are then as
/// far as they were understood.
void read_request(const std::string& text, Request& request);

}  // namespace scree
