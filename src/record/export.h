// Recordings for other programs.
#pragma once

#include <string>

#include "record/recording.h"

namespace scree {

/// One row per frame and body: time, name, position, orientation (qw qx qy qz), velocities.
void export_csv(const Recording& recording, const std::string& path);
/// One row per frame and joint: time, name, up to three coordinates, separation, force and torque
/// on b in world axes and in the axes of frame A. Throws InputError when the recording has no
/// joints.
void export_joints_csv(const Recording& recording, const std::string& path);
/// `path` is the .pvd; beside it a folder with one .vtp of bodies (points with fields, or their
/// surfaces when `has_surfaces`) and one of contacts (with forces) per frame. Opens in
/// ParaView 5.11.
void export_paraview(const Recording& recording, const std::string& path, bool has_surfaces);

}  // namespace scree
