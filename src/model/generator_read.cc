#include "model/generator_read.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/body_read.h"
#include "model/generators.h"
#include "scree/error.h"

namespace scree {
namespace {

void read_length(const MapField& map, const char* key, double& value) {
  if (const auto field = map.find(key)) value = field->number(positive(kLength));
}

int read_count(const Field& field) {
  return static_cast<int>(
      field.integer(1, static_cast<std::int64_t>(field.context().limits.bodies)));
}

void read_material(const MapField& map, std::string& material) {
  if (const auto field = map.find("material")) material = read_material_name(*field);
}

void read_density(const MapField& map, double& density) {
  if (const auto field = map.find("density")) density = field->number(positive(kDensity));
}

/// Runs the generator unless its options were wrong; what it refuses itself is noted at the entry.
template <class Generator, class Options>
void generate(const Field& field, std::size_t errors_before, Scene& scene, Generator add,
              const Options& options) {
  if (field.context().errors.count() != errors_before) return;
  try {
    add(scene, options);
  } catch (const InputError& error) {
    for (const std::string& message : error.messages()) field.fail(message);
  }
}

void read_wall(const Field& field, Scene& scene) {
  const std::size_t before = field.context().errors.count();
  const MapField map(field,
                     {"bricks", "courses", "brick", "joint", "density", "material", "position"});
  WallOptions options;
  if (const auto bricks = map.find("bricks")) options.bricks = read_count(*bricks);
  options.courses = options.bricks >= 400 ? 20 : 10;
  if (const auto courses = map.find("courses")) options.courses = read_count(*courses);
  if (const auto brick = map.find("brick")) options.brick = brick->vector(positive(kLength));
  if (const auto joint = map.find("joint")) options.joint = joint->number(not_negative(kLength));
  if (const auto at = map.find("position")) options.position = at->vector(any_number(kLength));
  read_density(map, options.density);
  read_material(map, options.material);
  generate(field, before, scene, add_wall, options);
}

void read_grid(const Field& field, Scene& scene) {
  const std::size_t before = field.context().errors.count();
  const MapField map(field, {"body", "count", "pitch", "jitter", "seed"});
  GridOptions options;
  if (const auto body = map.require("body")) options.body = read_body(*body, true);
  if (const auto pitch = map.require("pitch"))
    options.pitch = pitch->place(not_negative(kLength), 1.0);
  if (const auto jitter = map.find("jitter")) {
    options.jitter = jitter->number(not_negative(kLength));
  }
  if (const auto seed = map.find("seed")) {
    options.seed = static_cast<std::uint32_t>(seed->integer(0, 0xffffffff));
  }
  if (const auto count = map.require("count")) {
    const std::vector<Field> items = count->items("counts");
    const bool is_flat = field.context().is_planar && items.size() == 2;
    if (count->is_list() && items.size() != 3 && !is_flat) {
      count->fail_got("must be a list of 3 numbers");
      return;
    }
    double total = 1.0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      options.count[i] = read_count(items[i]);
      total *= options.count[i];
    }
    const double room = static_cast<double>(field.context().limits.bodies);
    if (total > room)
      count->fail(fmt::format("makes {} bodies, at most {} are accepted", total, room));
  }
  generate(field, before, scene, add_grid, options);
}

void read_stack(const Field& field, Scene& scene) {
  const std::size_t before = field.context().errors.count();
  const MapField map(field, {"body", "count", "gap"});
  StackOptions options;
  if (const auto body = map.require("body")) options.body = read_body(*body, true);
  if (const auto count = map.find("count")) options.count = read_count(*count);
  if (const auto gap = map.find("gap")) options.gap = gap->number(not_negative(kLength));
  generate(field, before, scene, add_stack, options);
}

void read_pile(const Field& field, Scene& scene) {
  const std::size_t before = field.context().errors.count();
  const MapField map(field,
                     {"grains", "columns", "radius", "density", "pitch", "jitter", "material"});
  PileOptions options;
  if (const auto grains = map.find("grains")) options.grains = read_count(*grains);
  if (const auto columns = map.find("columns"))
    options.columns = static_cast<int>(columns->integer(1, 10000));
  read_length(map, "radius", options.radius);
  read_length(map, "pitch", options.pitch);
  if (const auto jitter = map.find("jitter")) {
    options.jitter = jitter->number(not_negative(kLength));
  }
  read_density(map, options.density);
  read_material(map, options.material);
  generate(field, before, scene, add_pile, options);
}

void read_chain(const Field& field, Scene& scene) {
  const std::size_t before = field.context().errors.count();
  const MapField map(field, {"links", "length", "width", "wire", "density", "is_first_fixed",
                             "start", "material"});
  ChainOptions options;
  if (const auto links = map.find("links")) options.links = read_count(*links);
  read_length(map, "length", options.length);
  read_length(map, "width", options.width);
  read_length(map, "wire", options.wire);
  read_density(map, options.density);
  if (const auto fixed = map.find("is_first_fixed")) options.is_first_fixed = fixed->boolean();
  if (const auto start = map.find("start")) options.start = start->vector(any_number(kLength));
  read_material(map, options.material);
  generate(field, before, scene, add_chain, options);
}

}  // namespace

void read_generator(const Field& field, Scene& scene) {
  const std::vector<std::string> names{"wall", "grid", "stack", "pile", "chain"};
  const std::vector<Entry> entries = entries_of(field);
  if (!field.is_map()) return;
  if (entries.size() != 1) {
    field.fail(fmt::format("must name one generator, got {}", entries.size()));
    return;
  }
  const std::string& name = entries[0].name();
  const Field& inner = entries[0].value;
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    entries[0].key.fail("is not a known generator" + suggestion(name, names));
    return;
  }
  if (scene.planar && name != "grid" && name != "stack") {
    inner.fail("is not for planar scenes");
    return;
  }
  if (name == "wall") read_wall(inner, scene);
  if (name == "grid") read_grid(inner, scene);
  if (name == "stack") read_stack(inner, scene);
  if (name == "pile") read_pile(inner, scene);
  if (name == "chain") read_chain(inner, scene);
}

}  // namespace scree
