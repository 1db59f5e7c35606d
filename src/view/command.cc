#include "view/command.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "scree/error.h"
#include "world/run_check.h"

namespace scree {
namespace {

using Json = nlohmann::json;

/// One object of a message. Every key must be asked for; finish() complains about the rest.
class Fields {
 public:
  Fields(const Json& json, std::string path) : json_(json), path_(std::move(path)) {
    if (!json.is_object()) throw InputError(path_ + " must be an object");
  }

  double number(const std::string& key, double lowest, double highest) {
    const Json& value = at(key);
    // Compared this way round, a number that is none is refused.
    if (value.is_number()) {
      const double x = value.get<double>();
      if (x >= lowest && x <= highest) return x;
    }
    throw wrong(key, fmt::format("a number from {:g} to {:g}", lowest, highest), value);
  }
  int whole(const std::string& key, int lowest, int highest) {
    const Json& value = at(key);
    if (value.is_number_integer()) {
      const auto x = value.get<std::int64_t>();
      const bool is_huge = value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX;
      if (!is_huge && x >= lowest && x <= highest) return static_cast<int>(x);
    }
    throw wrong(key, fmt::format("a whole number from {} to {}", lowest, highest), value);
  }
  bool truth(const std::string& key) {
    const Json& value = at(key);
    if (!value.is_boolean()) throw wrong(key, "true or false", value);
    return value.get<bool>();
  }
  std::string text(const std::string& key) {
    const Json& value = at(key);
    if (!value.is_string()) throw wrong(key, "a text", value);
    return value.get<std::string>();
  }
  Vec3 vector(const std::string& key, double largest) {
    const Json& value = at(key);
    Vec3 v = Vec3::Zero();
    bool is_good = value.is_array() && value.size() == 3;
    for (std::size_t d = 0; is_good && d < 3; ++d) {
      is_good = value[d].is_number() && std::abs(value[d].get<double>()) <= largest;
      if (is_good) v[static_cast<int>(d)] = value[d].get<double>();
    }
    if (!is_good) throw wrong(key, fmt::format("three numbers up to {:g}", largest), value);
    return v;
  }
  const Json& at(const std::string& key) {
    asked_.push_back(key);
    const auto found = json_.find(key);
    if (found == json_.end()) throw InputError(fmt::format("{}.{} is missing", path_, key));
    return *found;
  }
  bool has(const std::string& key) {
    asked_.push_back(key);
    return json_.contains(key);
  }
  Fields inside(const std::string& key) { return {at(key), path_ + "." + key}; }
  void finish() const {
    for (const auto& [key, value] : json_.items()) {
      if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
      throw InputError(fmt::format("{}.{} is not known{}", path_, key, did_you_mean(key, asked_)));
    }
  }
  InputError wrong(const std::string& key, const std::string& rule, const Json& value) const {
    std::string got = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (got.size() > 60) got = got.substr(0, 57) + "...";
    return InputError(fmt::format("{}.{} must be {}, got {}", path_, key, rule, got));
  }

 private:
  const Json& json_;
  std::string path_;
  std::vector<std::string> asked_;
};

constexpr int kMostBodies = 100'000'000;
constexpr double kFarthest = 1e9;  // m
constexpr double kFastest = 1e6;   // m/s
constexpr int kMostFrames = 64;    // of one request
constexpr int kMostFrameIndex = 2'000'000'000;

FrameWishes::Velocities read_velocities(Fields& fields) {
  const Json& value = fields.at("velocities");
  if (value == "full") return FrameWishes::Velocities::full;
  if (!value.is_boolean()) throw fields.wrong("velocities", "true, false or \"full\"", value);
  return value.get<bool>() ? FrameWishes::Velocities::half : FrameWishes::Velocities::none;
}

Command read_want(Fields& fields) {
  Want want;
  want.wishes.has_contacts = fields.truth("contacts");
  want.wishes.velocities = read_velocities(fields);
  const Json& watch = fields.at("watch");
  const std::string rule = fmt::format("a list of at most {} bodies", kMostWatched);
  if (!watch.is_array() || watch.size() > kMostWatched) throw fields.wrong("watch", rule, watch);
  for (const Json& body : watch) {
    const bool is_good = body.is_number_unsigned() && body.get<std::uint64_t>() < kMostBodies;
    if (!is_good) throw fields.wrong("watch", rule, watch);
    want.watch.push_back(body.get<int>());
  }
  return want;
}

Command read_throw(Fields& fields) {
  Throw ball;
  ball.position = fields.vector("position", kFarthest);
  ball.velocity = fields.vector("velocity", kFastest);
  ball.radius = fields.number("radius", 1e-6, 1e6);
  ball.density = fields.number("density", 1e-3, 1e6);
  return ball;
}

Change::Contact read_contact(Fields fields, bool is_pair) {
  Change::Contact contact;
  contact.a = fields.text(is_pair ? "a" : "name");
  if (is_pair) contact.b = fields.text("b");
  if (fields.has("friction")) contact.friction = fields.number("friction", 0.0, 1e6);
  if (fields.has("restitution")) contact.restitution = fields.number("restitution", 0.0, 1.0);
  fields.finish();
  return contact;
}

Command read_change(Fields& fields) {
  Change change;
  if (fields.has("gravity")) change.gravity = fields.vector("gravity", 1e6);
  if (fields.has("solver")) change.solver = fields.text("solver");
  if (fields.has("law")) change.law = fields.text("law");
  if (fields.has("tolerance")) change.tolerance = fields.number("tolerance", 1e-16, 1e3);
  if (fields.has("material")) change.material = read_contact(fields.inside("material"), false);
  if (fields.has("pair")) change.pair = read_contact(fields.inside("pair"), true);
  return change;
}

Command read_restart(Fields& fields) {
  Restart restart;
  const Json& parameters = fields.at("parameters");
  if (!parameters.is_object()) throw fields.wrong("parameters", "an object of numbers", parameters);
  for (const auto& [name, value] : parameters.items()) {
    if (!value.is_number()) throw fields.wrong("parameters", "an object of numbers", parameters);
    restart.parameters.emplace_back(name, value.get<double>());
  }
  return restart;
}

using Reader = std::function<Command(Fields&)>;

const std::map<std::string, Reader>& readers() {
  static const std::map<std::string, Reader> table = {
      {"want", read_want},
      {"ack",
       [](Fields& f) {
         return Acknowledge{static_cast<std::uint32_t>(f.number("sequence", 0, 4294967295.0))};
       }},
      {"frames",
       [](Fields& f) {
         return WantFrames{f.whole("from", 0, kMostFrameIndex), f.whole("count", 1, kMostFrames),
                           f.whole("stride", 1, kMostFrameIndex)};
       }},
      {"steps", [](Fields&) { return WantSteps{}; }},
      {"track", [](Fields& f) { return WantTrack{f.whole("body", 0, kMostBodies)}; }},
      {"play", [](Fields&) { return Play{}; }},
      {"pause", [](Fields&) { return Pause{}; }},
      {"step", [](Fields& f) { return MakeSteps{f.whole("count", 1, 1000)}; }},
      {"speed", [](Fields& f) { return SetSpeed{f.number("factor", 0.0, 100.0)}; }},
      {"reset", [](Fields&) { return Reset{}; }},
      {"drag",
       [](Fields& f) {
         return Drag{f.whole("body", 0, kMostBodies), f.vector("point", kFarthest),
                     f.vector("target", kFarthest)};
       }},
      {"release", [](Fields&) { return Release{}; }},
      {"throw", read_throw},
      {"set", read_change},
      {"restart", read_restart},
  };
  return table;
}

}  // namespace

void read_request(const std::string& text, Request& request) {
  request = {};
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw InputError("the message is not JSON");
  Fields fields(json, "message");
  if (const auto id = json.find("id"); id != json.end() && id->is_number_integer()) {
    request.id = id->get<std::int64_t>();
  }
  request.type = fields.text("type");
  const auto reader = readers().find(request.type);
  if (reader == readers().end()) {
    std::vector<std::string> known;
    for (const auto& [name, unused] : readers()) known.push_back(name);
    throw InputError(fmt::format("message.type '{}' is not known{}", request.type.substr(0, 40),
                                 did_you_mean(request.type, known)));
  }
  Fields named(json, request.type);
  named.has("type");
  named.has("id");
  request.command = reader->second(named);
  named.finish();
}

}  // namespace scree
