#include "model/yaml_tree.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <map>
#include <sstream>

#include "scree/error.h"

namespace scree {
namespace {

[[noreturn]] void fail(const std::string& file, int line, int column, const std::string& message) {
  throw InputError(fmt::format("{}:{}:{}: {}", file, line, column, message));
}

/// Builds the tree from yaml-cpp's events. Limits are checked as the events arrive, so that a
/// hostile file is refused before it has cost much.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(YamlDocument& document, const std::string& file, const SceneLimits& limits)
      : document_(document), file_(file), limits_(limits) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    YamlNode& node = add(mark, YamlNode::Kind::nothing, anchor);
    // yaml-cpp finds a value that is not there where the next thing in the file is.
    if (const YamlNode* key = key_without_value()) {
      node.line = key->line;
      node.column = key->column;
    }
    attach(node);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_tag(mark, tag);
    YamlNode& node = add(mark, YamlNode::Kind::scalar, anchor);
    node.text = value;
    attach(node);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    open(mark, YamlNode::Kind::list, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    refuse_tag(mark, tag);
    open(mark, YamlNode::Kind::map, anchor);
  }
  void OnMapEnd() override { close(); }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const YamlNode& target = *anchors_.at(anchor);
    for (const YamlNode* node : open_) {
      // Following it would never end.
      if (node == &target) fail_at(mark, "an alias must not stand inside what it stands for");
    }
    alias_nodes_ += target.size;
    if (alias_nodes_ > limits_.alias_nodes) {
      fail_at(mark, fmt::format("aliases stand for more than {} values, which is not accepted",
                                limits_.alias_nodes));
    }
    attach(target);
  }

 private:
  [[noreturn]] void fail_at(const YAML::Mark& mark, const std::string& message) const {
    fail(file_, mark.line + 1, mark.column + 1, message);
  }
  // yaml-cpp says "?" for a plain node and "!" for a quoted one.
  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (!tag.empty() && tag != "?" && tag != "!") fail_at(mark, "tags (!...) are not accepted");
  }
  YamlNode& add(const YAML::Mark& mark, YamlNode::Kind kind, YAML::anchor_t anchor) {
    YamlNode& node = document_.nodes.emplace_back();
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    if (anchor != YAML::NullAnchor) anchors_[anchor] = &node;
    return node;
  }
  void attach(const YamlNode& node) {
    if (open_.empty()) {
      document_.root = &node;
      return;
    }
    open_.back()->items.push_back(&node);
    open_.back()->size += node.size;
  }
  const YamlNode* key_without_value() const {
    if (open_.empty() || open_.back()->kind != YamlNode::Kind::map) return nullptr;
    const auto& items = open_.back()->items;
    return items.size() % 2 == 1 ? items.back() : nullptr;
  }
  void open(const YAML::Mark& mark, YamlNode::Kind kind, YAML::anchor_t anchor) {
    if (static_cast<int>(open_.size()) >= limits_.depth) {
      fail_at(mark, fmt::format("lists and maps are nested deeper than {}", limits_.depth));
    }
    open_.push_back(&add(mark, kind, anchor));
  }
  void close() {
    const YamlNode& node = *open_.back();
    open_.pop_back();
    attach(node);
  }

  YamlDocument& document_;
  const std::string& file_;
  const SceneLimits& limits_;
  std::vector<YamlNode*> open_;
  std::map<YAML::anchor_t, const YamlNode*> anchors_;
  std::size_t alias_nodes_ = 0;
};

/// Whether nothing but blanks is left from there on.
bool is_end_of(const std::string& text, const YAML::Mark& mark) {
  const auto at = static_cast<std::size_t>(mark.pos < 0 ? 0 : mark.pos);
  return at >= text.size() || text.find_first_not_of(" \t\r\n", at) == std::string::npos;
}

// Closes the document. Without it yaml-cpp takes a text whose closing quote is missing for
// complete when a line break comes last.
std::string with_end_mark(const std::string& text) {
  const bool is_line_open = !text.empty() && text.back() != '\n';
  return text + (is_line_open ? "\n...\n" : "...\n");
}

}  // namespace

YamlDocument parse_yaml(const std::string& text, const std::string& file,
                        const SceneLimits& limits) {
  if (text.size() > limits.bytes) {
    fail(file, 1, 1,
         fmt::format("the file has {} bytes, at most {} are accepted", text.size(), limits.bytes));
  }
  YamlDocument document;
  TreeBuilder builder(document, file, limits);
  try {
    std::istringstream stream(with_end_mark(text));
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder) || document.root == nullptr ||
        document.root->kind == YamlNode::Kind::nothing) {
      fail(file, 1, 1, "the file is empty");
    }
    YamlDocument second;
    TreeBuilder after(second, file, limits);
    while (parser.HandleNextDocument(after)) {
      if (second.root == nullptr || second.root->kind == YamlNode::Kind::nothing) continue;
      fail(file, second.root->line, second.root->column,
           "a second document starts here; a scene is one document");
    }
  } catch (const YAML::Exception& error) {
    const int line = error.mark.is_null() ? 1 : error.mark.line + 1;
    const int column = error.mark.is_null() ? 1 : error.mark.column + 1;
    const bool is_cut_short = !error.mark.is_null() && is_end_of(text, error.mark);
    fail(file, line, column,
         (is_cut_short ? "unexpected end of input: " : "not valid YAML: ") + error.msg);
  }
  return document;
}

}  // namespace scree
