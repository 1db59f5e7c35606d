// Reads robots out of strings, and finds things in what comes of them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/urdf_read.h"

namespace scree::testing {

inline UrdfResult read_text(const std::string& text, const UrdfOptions& options = {}) {
  return read_urdf_text(text, "r.urdf", "", options);
}

/// The elements inside <robot name="r">, which starts line 1; `inside` begins on line 2.
inline UrdfResult read_inside(const std::string& inside, const UrdfOptions& options = {}) {
  return read_text("<robot name=\"r\">\n" + inside + "</robot>\n", options);
}

inline std::vector<std::string> lines(const UrdfResult& result, Severity severity) {
  return result.report.lines(severity);
}
inline std::vector<std::string> errors(const UrdfResult& result) {
  return lines(result, Severity::error);
}
inline std::vector<std::string> warnings(const UrdfResult& result) {
  return lines(result, Severity::warning);
}
inline std::vector<std::string> notes(const UrdfResult& result) {
  return lines(result, Severity::note);
}

inline const Body& body_of(const UrdfResult& result, const std::string& name) {
  const auto& bodies = result.scene.bodies;
  const auto found = std::find_if(bodies.begin(), bodies.end(),
                                  [&](const Body& body) { return body.name == name; });
  if (found == bodies.end()) throw std::runtime_error("no body " + name);
  return *found;
}

inline const Joint& joint_of(const UrdfResult& result, const std::string& name) {
  const auto& joints = result.scene.joints;
  const auto found = std::find_if(joints.begin(), joints.end(),
                                  [&](const Joint& joint) { return joint.name == name; });
  if (found == joints.end()) throw std::runtime_error("no joint " + name);
  return *found;
}

inline bool has_body(const UrdfResult& result, const std::string& name) {
  return std::any_of(result.scene.bodies.begin(), result.scene.bodies.end(),
                     [&](const Body& body) { return body.name == name; });
}

/// A link with the mass and inertia of a unit cube of 6 kg, and whatever else is given.
inline std::string heavy(const std::string& name, const std::string& more = "") {
  return "<link name=\"" + name +
         "\"><inertial><mass value=\"6\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial>" +
         more + "</link>\n";
}

inline std::string light(const std::string& name, const std::string& more = "") {
  return "<link name=\"" + name + "\">" + more + "</link>\n";
}

inline std::string joint(const std::string& name, const std::string& type,
                         const std::string& parent, const std::string& child,
                         const std::string& more = "") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent +
         "\"/><child link=\"" + child + "\"/>" + more + "</joint>\n";
}

inline const char* const kBox = "<collision><geometry><box size=\"1 2 3\"/></geometry></collision>";

}  // namespace scree::testing
