#include "model/urdf_structure.h"

#include <fmt/format.h>

#include <cmath>
#include <unordered_map>

#include "base/text.h"

namespace scree {
namespace {

using Index = std::unordered_map<std::string, int>;  // looked up only, so its order cannot matter

constexpr std::size_t kMostNames = 12;  // of a list in a message

std::size_t at(int index) { return static_cast<std::size_t>(index); }

std::string quoted_name(const std::string& name) { return fmt::format("'{}'", one_line(name)); }

/// "'a', 'b' and 3 more".
std::string some_of(const std::vector<std::string>& names) {
  std::vector<std::string> shown(
      names.begin(),
      names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMostNames)));
  if (names.size() > shown.size()) {
    shown.push_back(fmt::format("{} more", names.size() - shown.size()));
  }
  return join_words(shown);
}

class StructureFinder {
 public:
  StructureFinder(UrdfFile& file, const UrdfRobot& robot) : file_(file), robot_(robot) {}

  std::optional<UrdfTree> run() {
    if (robot_.links.empty()) {
      file_.error(robot_.node, "has no link");
      return std::nullopt;
    }
    link_index_ = index(robot_.links);
    joint_index_ = index(robot_.joints);
    connect();
    // Who is whose parent is not known then, and what follows would only repeat the faults.
    if (!is_sound_) return std::nullopt;
    find_root();
    find_followers();
    if (!is_sound_) return std::nullopt;
    return std::move(tree_);
  }

 private:
  void fail(pugi::xml_node node, const std::string& message) {
    is_sound_ = false;
    file_.error(node, message);
  }

  template <class Element>
  Index index(const std::vector<Element>& elements) {
    Index found;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (found.emplace(elements[i].name, static_cast<int>(i)).second) continue;
      fail(elements[i].node, fmt::format("is the second {} of this name; names must be unique",
                                         elements[i].node.name()));
    }
    return found;
  }

  int find_link(pugi::xml_node joint, const char* which, const std::string& name) {
    if (name.empty()) {  // said already
      is_sound_ = false;
      return -1;
    }
    const auto found = link_index_.find(name);
    if (found != link_index_.end()) return found->second;
    std::string advice;
    if (robot_.links.size() <= 1000) {
      std::vector<std::string> names;
      for (const UrdfLink& link : robot_.links) names.push_back(link.name);
      const std::string nearest = nearest_word(name, names);
      if (!nearest.empty()) advice = fmt::format("; did you mean {}?", quoted_name(nearest));
    }
    fail(joint.child(which), fmt::format("there is no link {}{}", quoted_name(name), advice));
    return -1;
  }

  void connect() {
    tree_.parent_joint.assign(robot_.links.size(), -1);
    tree_.child_joints.resize(robot_.links.size());
    for (std::size_t j = 0; j < robot_.joints.size(); ++j) {
      const UrdfJoint& joint = robot_.joints[j];
      const int parent = find_link(joint.node, "parent", joint.parent);
      const int child = find_link(joint.node, "child", joint.child);
      tree_.parent_link.push_back(parent);
      tree_.child_link.push_back(child);
      if (parent < 0 || child < 0) continue;
      if (parent == child) {
        fail(joint.node, fmt::format("connects link {} with itself", quoted_name(joint.parent)));
        continue;
      }
      int& above = tree_.parent_joint[at(child)];
      if (above >= 0) {
        fail(joint.node,
             fmt::format("gives link {} a second parent, {}; joint {} makes it hang on {} already, "
                         "and a URDF is a tree",
                         quoted_name(joint.child), quoted_name(joint.parent),
                         quoted_name(robot_.joints[at(above)].name),
                         quoted_name(robot_.joints[at(above)].parent)));
        continue;
      }
      above = static_cast<int>(j);
      tree_.child_joints[at(parent)].push_back(static_cast<int>(j));
    }
  }

  void find_root() {
    std::vector<std::string> roots;
    std::vector<int> root_links;
    for (std::size_t i = 0; i < robot_.links.size(); ++i) {
      if (tree_.parent_joint[i] >= 0) continue;
      roots.push_back(quoted_name(robot_.links[i].name));
      root_links.push_back(static_cast<int>(i));
    }
    if (roots.empty()) fail(robot_.node, "has no root: each link is the child of a joint");
    if (roots.size() > 1) {
      fail(robot_.links[at(root_links[1])].node,
           fmt::format("hangs on no joint, and neither do others: the robot has {} roots, {}; "
                       "connect them by joints",
                       roots.size(), some_of(roots)));
    }
    // From every root, so that a cycle is told from a second tree.
    std::vector<bool> is_reached(robot_.links.size(), false);
    for (const int root : root_links) walk(root, is_reached);
    find_cycles(is_reached);
    if (!root_links.empty()) tree_.root = root_links[0];
  }

  void walk(int root, std::vector<bool>& is_reached) {
    std::size_t next = tree_.order.size();
    tree_.order.push_back(root);
    for (; next < tree_.order.size(); ++next) {
      const int link = tree_.order[next];
      is_reached[at(link)] = true;
      for (const int joint : tree_.child_joints[at(link)]) {
        tree_.order.push_back(tree_.child_link[at(joint)]);
      }
    }
  }

  /// Each link that no root leads to has a parent, so going up from it ends in a cycle.
  void find_cycles(std::vector<bool>& is_reached) {
    std::vector<int> visited_from(robot_.links.size(), -1);
    for (std::size_t start = 0; start < robot_.links.size(); ++start) {
      int link = static_cast<int>(start);
      while (!is_reached[at(link)]) {
        is_reached[at(link)] = true;
        visited_from[at(link)] = static_cast<int>(start);
        link = tree_.parent_link[at(tree_.parent_joint[at(link)])];
      }
      if (visited_from[at(link)] != static_cast<int>(start)) continue;
      report_cycle(link);
      // Links below the cycle lead to it again; it is told once.
      visited_from[at(link)] = -1;
    }
  }

  void report_cycle(int first) {
    std::vector<std::string> names;
    int link = first;
    do {
      names.push_back(quoted_name(robot_.links[at(link)].name));
      link = tree_.parent_link[at(tree_.parent_joint[at(link)])];
    } while (link != first);
    fail(robot_.joints[at(tree_.parent_joint[at(first)])].node,
         fmt::format("closes a cycle of links: {}; a URDF is a tree", some_of(names)));
  }

  // ---- Mimics ----

  void find_followers() {
    const std::size_t count = robot_.joints.size();
    tree_.followers.resize(count);
    std::vector<int> direct(count, -1);
    for (std::size_t j = 0; j < count; ++j) {
      if (robot_.joints[j].mimic) direct[j] = find_leader(robot_.joints[j], tree_.followers[j]);
    }
    enum class Mark : char { fresh, open, done };
    std::vector<Mark> marks(count, Mark::fresh);
    std::vector<int> chain;
    for (std::size_t j = 0; j < count; ++j) {
      chain.clear();
      int joint = static_cast<int>(j);
      for (; joint >= 0 && marks[at(joint)] == Mark::fresh; joint = direct[at(joint)]) {
        marks[at(joint)] = Mark::open;
        chain.push_back(joint);
      }
      if (joint >= 0 && marks[at(joint)] == Mark::open) {
        fail(robot_.joints[at(joint)].mimic->node, "follows itself: its mimics form a loop");
      }
      for (auto link = chain.rbegin(); link != chain.rend(); ++link) {
        marks[at(*link)] = Mark::done;
        if (direct[at(*link)] >= 0) follow(*link, direct[at(*link)]);
      }
    }
  }

  int find_leader(const UrdfJoint& joint, UrdfFollower& follower) {
    const UrdfMimic& mimic = *joint.mimic;
    const auto found = joint_index_.find(mimic.joint);
    if (found == joint_index_.end()) {
      fail(mimic.node, fmt::format("there is no joint {}", quoted_name(mimic.joint)));
      return -1;
    }
    const UrdfJoint& leader = robot_.joints[at(found->second)];
    if (leader.is_single()) return found->second;
    if (leader.type == UrdfJointType::fixed) {
      follower.is_still = true;
      follower.offset = mimic.offset;
      file_.warning(mimic.node, fmt::format("follows joint {}, which is fixed: it stays at {:g}",
                                            quoted_name(mimic.joint), mimic.offset));
      return -1;
    }
    fail(mimic.node, fmt::format("cannot follow joint {}: it is {} and has no single coordinate",
                                 quoted_name(mimic.joint), name_of(leader.type)));
    return -1;
  }

  void follow(int joint, int leader) {
    const UrdfMimic& mimic = *robot_.joints[at(joint)].mimic;
    UrdfFollower& follower = tree_.followers[at(joint)];
    const UrdfFollower& above = tree_.followers[at(leader)];
    if (above.leader < 0) {
      follower = {false, leader, mimic.multiplier, mimic.offset};
      return;
    }
    follower = {false, above.leader, mimic.multiplier * above.ratio,
                mimic.multiplier * above.offset + mimic.offset};
    if (!std::isfinite(follower.ratio) || !std::isfinite(follower.offset)) {
      fail(mimic.node, "multiplied with the mimics it follows is out of range");
      return;
    }
    file_.note(mimic.node,
               fmt::format("follows a mimic; it is taken as {:g} times joint {}{}", follower.ratio,
                           quoted_name(robot_.joints[at(above.leader)].name),
                           follower.offset == 0.0 ? "" : fmt::format(" {:+g}", follower.offset)));
  }

  UrdfFile& file_;
  const UrdfRobot& robot_;
  Index link_index_, joint_index_;
  UrdfTree tree_;
  bool is_sound_ = true;
};

}  // namespace

std::optional<UrdfTree> find_structure(UrdfFile& file, const UrdfRobot& robot) {
  return StructureFinder(file, robot).run();
}

}  // namespace scree
