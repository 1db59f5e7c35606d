// What reading a robot file found: every finding with its place, and how often each kind of element
// was honoured, approximated or ignored.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace scree {

enum class Severity { error, warning, note };
const char* name_of(Severity severity);

struct UrdfFinding {
  Severity severity = Severity::note;
  std::string file;
  int line = 0, column = 0;  // from 1; 0: the file as a whole
  std::string path;          // robot/link[gripper]/inertial
  std::string message;
  bool is_decision = false;  // a note that whoever runs the robot should see
};
/// `file:line:column: warning: path message`; errors go without the word.
std::string text_of(const UrdfFinding& finding);

/// What became of the elements of one kind.
struct UrdfTally {
  int honoured = 0;
  int approximated = 0;  // simulated as something near; a note says as what
  int ignored = 0;
};

struct UrdfReport {
  std::vector<UrdfFinding> findings;          // in the order of the file
  std::map<Severity, std::size_t> left_out;   // findings beyond the limit, counted only
  std::map<std::string, UrdfTally> elements;  // by name: link, mesh, mimic, gazebo ...
  std::map<std::string, int> joint_types;     // as written: revolute, fixed ...
  int links = 0;

  std::size_t count(Severity severity) const;  // those left out too
  bool has_errors() const { return count(Severity::error) > 0; }
  /// The lines of one severity, folded; the last one counts what was left out.
  std::vector<std::string> lines(Severity severity) const;
};

/// For people: of more than three warnings or notes that differ only in names, the first one stands
/// for all, with the lines of the others. Errors stay as they are: each has to be mended.
std::vector<UrdfFinding> fold(const std::vector<UrdfFinding>& findings);

/// Links, joints by type, and a row for each kind of element.
std::string summary_table(const UrdfReport& report);

}  // namespace scree
