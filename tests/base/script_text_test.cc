#include "base/script_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace scree {
namespace {

// A browser ends a script at the first </script, wherever it stands; JSON has another way to say <.
TEST(ScriptText, NothingInItEndsTheScript) {
  const std::string name = "</script><!-- <b>";
  const std::string text = inside_script(nlohmann::json(name).dump());
  EXPECT_EQ(text.find('<'), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(text), name);
}

}  // namespace
}  // namespace scree
