#include "model/urdf_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace scree {

const char* name_of(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::note:
      return "note";
  }
  return "";
}

std::string text_of(const UrdfFinding& finding) {
  std::string text = finding.file;
  if (finding.line > 0) text += fmt::format(":{}:{}", finding.line, finding.column);
  text += ": ";
  if (finding.severity != Severity::error) text += fmt::format("{}: ", name_of(finding.severity));
  if (!finding.path.empty()) text += finding.path + " ";
  return text + finding.message;
}

std::size_t UrdfReport::count(Severity severity) const {
  const auto listed = std::count_if(findings.begin(), findings.end(),
                                    [&](const UrdfFinding& f) { return f.severity == severity; });
  const auto more = left_out.find(severity);
  return static_cast<std::size_t>(listed) + (more == left_out.end() ? 0 : more->second);
}

std::vector<std::string> UrdfReport::lines(Severity severity) const {
  std::vector<std::string> lines;
  for (const UrdfFinding& finding : findings) {
    if (finding.severity == severity) lines.push_back(text_of(finding));
  }
  const auto more = left_out.find(severity);
  if (more != left_out.end() && more->second > 0) {
    lines.push_back(fmt::format(
        "{}{}: and {} more", findings.empty() ? "" : findings[0].file,
        severity == Severity::error ? "" : fmt::format(": {}", name_of(severity)), more->second));
  }
  return lines;
}

std::string summary_table(const UrdfReport& report) {
  int joints = 0;
  std::string types;
  for (const auto& [type, count] : report.joint_types) {
    joints += count;
    types += fmt::format("{}{} {}", types.empty() ? "" : ", ", count, type);
  }
  std::string text = fmt::format("links   {}\njoints  {}{}\n\n", report.links, joints,
                                 types.empty() ? "" : " (" + types + ")");
  text +=
      fmt::format("{:<24} {:>9} {:>13} {:>8}\n", "element", "honoured", "approximated", "ignored");
  for (const auto& [name, tally] : report.elements) {
    text += fmt::format("{:<24} {:>9} {:>13} {:>8}\n", name, tally.honoured, tally.approximated,
                        tally.ignored);
  }
  return text;
}

}  // namespace scree
