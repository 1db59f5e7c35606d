#include "model/urdf_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace scree {
namespace {

constexpr std::size_t kMostAlike = 3;        // more of a kind are folded
constexpr std::size_t kMostLinesShown = 10;  // of those that were

/// Without what stands between `open` and `close`.
std::string without(const std::string& text, char open, char close) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t end = text[i] == open ? text.find(close, i + 1) : std::string::npos;
    result += text[i];
    if (end != std::string::npos) i = end;
  }
  return result;
}

/// The same for findings that differ only in the names of links, joints and files.
std::string kind_of(const UrdfFinding& finding) {
  return fmt::format("{} {} {}", static_cast<int>(finding.severity),
                     without(finding.path, '[', ']'), without(finding.message, '\'', '\''));
}

}  // namespace

std::vector<UrdfFinding> fold(const std::vector<UrdfFinding>& findings) {
  std::map<std::string, std::vector<std::size_t>> kinds;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (findings[i].severity != Severity::error) kinds[kind_of(findings[i])].push_back(i);
  }
  std::vector<UrdfFinding> folded;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const auto kind =
        findings[i].severity == Severity::error ? kinds.end() : kinds.find(kind_of(findings[i]));
    if (kind == kinds.end() || kind->second.size() <= kMostAlike) {
      folded.push_back(findings[i]);
      continue;
    }
    const std::vector<std::size_t>& alike = kind->second;
    if (alike[0] != i) continue;
    folded.push_back(findings[i]);
    std::string& message = folded.back().message;
    message += fmt::format(" (and {} more like it, at lines", alike.size() - 1);
    for (std::size_t k = 1; k < std::min(alike.size(), kMostLinesShown + 1); ++k) {
      message += fmt::format("{} {}", k > 1 ? "," : "", findings[alike[k]].line);
    }
    message += alike.size() > kMostLinesShown + 1 ? " ...)" : ")";
  }
  return folded;
}

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
  for (const UrdfFinding& finding : fold(findings)) {
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
