// scree list: what there is to choose from.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "collision/contacts.h"
#include "commands.h"
#include "json_text.h"
#include "model/demos.h"
#include "options.h"
#include "plugins.h"
#include "scree/error.h"
#include "scree/solver.h"

namespace scree::app {
namespace {

using Json = nlohmann::ordered_json;

struct Entry {
  const char *name, *description;
};

// As scene files spell them; docs/scene-format.md has the units and defaults.
constexpr Entry kJoints[] = {
    {"fixed", "nothing moves"},
    {"revolute", "turns about z; limits, motor, spring, friction, motion, mimic"},
    {"prismatic", "slides along z"},
    {"cylindrical", "slides along z (slide) and turns about it (angle)"},
    {"spherical", "turns any way about one point; limits of swing and twist, friction"},
    {"universal", "turns about z of its first body (first) and x of its second (second)"},
    {"planar", "slides along x and y, turns about z (angle)"},
    {"point-on-line", "a point of one body on the z axis of the other, free to turn"},
    {"distance", "two points a length apart: fixed, within limits, or by motion"},
    {"rope", "two points at most a length apart"},
    {"screw", "slides pitch per turn along z"},
    {"spring", "no equation; spring and damper between two points"},
};

constexpr Entry kShapes[] = {
    {"sphere", "radius"},
    {"box", "size (full edge lengths)"},
    {"capsule", "radius, length between the centres of its ends; along z"},
    {"cylinder", "radius, height; along z"},
    {"cone", "radius, height; base down, apex up along z"},
    {"ellipsoid", "radii"},
    {"half_space", "normal, offset; everything below a plane, fixed bodies only"},
    {"hull", "points, or solid (tetrahedron, cube ...) and radius; convex"},
    {"mesh",
     "file (STL, OBJ, PLY, poly) and scale, or vertices and triangles; closed for moving bodies"},
    {"height_field",
     "columns, rows, spacing_x, spacing_y, heights; solid below, fixed bodies only"},
    {"polygon", "points, thickness; planar scenes"},
    {"compound", "parts, each a shape with its pose"},
};

constexpr Entry kCollision[] = {
    {"scree", "built in: binning, exact gaps for all shapes"},
    {"bullet", "the Bullet library, for comparison"},
};

const char* description_of(Law law) {
  switch (law) {
    case Law::coulomb:
      return "exact friction cone and Coulomb's law (the default)";
    case Law::relaxed:
      return "convex relaxation of Anitescu and Tasora: sliding contacts part a little";
    case Law::pyramid:
      return "cone with flat facets: a linear complementarity problem";
    case Law::none:
      return "no friction";
  }
  return "";
}

Json parameters_json(const auto& parameters) {
  Json list = Json::array();
  for (const auto& parameter : parameters) {
    list.push_back(
        {{"name", parameter.name}, {"default", parameter.value}, {"help", parameter.help}});
  }
  return list;
}

std::vector<std::string> law_names(const SolverInfo& solver) {
  std::vector<std::string> names;
  for (const Law law : solver.laws) names.push_back(name_of(law));
  return names;
}

Json list_json(const std::string& what) {
  Json list = Json::array();
  if (what == "demos") {
    for (const DemoInfo& demo : demos()) {
      list.push_back({{"name", demo.name},
                      {"description", demo.description},
                      {"parameters", parameters_json(demo.parameters)}});
    }
  } else if (what == "solvers") {
    for (const SolverInfo& solver : solvers()) {
      list.push_back({{"name", solver.name},
                      {"description", solver.description},
                      {"source", solver.source},
                      {"laws", law_names(solver)},
                      {"solves_contacts", solver.solves_contacts},
                      {"max_iterations", solver.default_max_iterations},
                      {"options", parameters_json(solver.options)}});
    }
  } else if (what == "shapes") {
    for (const Entry& shape : kShapes)
      list.push_back({{"name", shape.name}, {"description", shape.description}});
  } else if (what == "joints") {
    for (const Entry& joint : kJoints)
      list.push_back({{"name", joint.name}, {"description", joint.description}});
  } else if (what == "laws") {
    for (const Law law : kLaws) {
      list.push_back({{"name", name_of(law)}, {"description", description_of(law)}});
    }
  } else if (what == "collision") {
    const std::vector<std::string> built_in = collision_backends();
    for (const Entry& backend : kCollision) {
      if (std::find(built_in.begin(), built_in.end(), backend.name) == built_in.end()) continue;
      list.push_back({{"name", backend.name}, {"description", backend.description}});
    }
  }
  return list;
}

void print_parameters(const Json& parameters) {
  for (const Json& parameter : parameters) {
    fmt::print("    {:<24} {}\n",
               fmt::format("{}={:g}", parameter["name"].get<std::string>(),
                           parameter["default"].get<double>()),
               parameter["help"].get<std::string>());
  }
}

void print_list(const Json& list) {
  std::size_t width = 0;
  for (const Json& entry : list) width = std::max(width, entry["name"].get<std::string>().size());
  for (const Json& entry : list) {
    fmt::print("{:<{}}  {}\n", entry["name"].get<std::string>(), width,
               entry["description"].get<std::string>());
    if (entry.contains("laws")) {
      const auto laws = entry["laws"].get<std::vector<std::string>>();
      const bool has_contacts = entry["solves_contacts"].get<bool>();
      fmt::print("    {}; at most {} iterations unless told otherwise\n",
                 has_contacts ? "laws: " + join_words(laws)
                              : "linear complementarity problems only, no contacts",
                 entry["max_iterations"].get<int>());
      if (const auto source = entry["source"].get<std::string>(); !source.empty()) {
        fmt::print("    source: {}\n", source);
      }
    }
    if (entry.contains("parameters")) print_parameters(entry["parameters"]);
    if (entry.contains("options")) print_parameters(entry["options"]);
  }
}

const std::vector<std::string> kTopics = {"demos",  "solvers", "shapes",
                                          "joints", "laws",    "collision"};

int execute_list(const std::string& what, bool json) {
  if (std::find(kTopics.begin(), kTopics.end(), what) == kTopics.end()) {
    const std::string nearest = nearest_word(what, kTopics);
    throw InputError(fmt::format(
        "scree list: there is no list of {}{} There are {}.", what.empty() ? "''" : what,
        nearest.empty() ? "." : "; did you mean " + nearest + "?", join_words(kTopics)));
  }
  const Json list = list_json(what);
  if (json) {
    std::cout << json_text(list, 2) << std::endl;
  } else if (list.empty()) {
    say(fmt::format("scree list: there are no {} yet", what));
  } else {
    print_list(list);
  }
  return kSuccess;
}

}  // namespace

void add_list(CLI::App& program, Action& action) {
  struct Arguments {
    std::string what;
    std::vector<std::string> plugins;
    bool json = false;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* verb = program.add_subcommand(
      "list", "What there is: demos, solvers, shapes, joints, laws, collision");
  verb->footer("\nExamples:\n  scree list demos\n  scree list solvers --json");
  verb->add_option("WHAT", arguments->what, "demos, solvers, shapes, joints, laws or collision")
      ->required();
  declare_plugins(*verb, arguments->plugins);
  verb->add_flag("--json", arguments->json, "print a JSON array on stdout");
  verb->callback([arguments, &action] {
    action = [arguments] {
      load_plugins(arguments->plugins);
      return execute_list(arguments->what, arguments->json);
    };
  });
}

}  // namespace scree::app
