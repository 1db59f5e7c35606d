// JSON for a page that carries its data with it.
#pragma once

#include <string>

namespace scree {

/// The same JSON, such that nothing in it looks like the end of the <script> element around it.
std::string inside_script(const std::string& json);

}  // namespace scree
