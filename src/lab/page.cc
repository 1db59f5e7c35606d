#include "lab/page.h"

#include <string_view>

#include "scree/error.h"

namespace scree {
namespace {

using Json = nlohmann::ordered_json;

/// JSON inside <script>: nothing in it may look like the end of that element.
std::string inside_script(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char letter : json) {
    if (letter == '<') {
      text += "\\u003c";
    } else {
      text += letter;
    }
  }
  return text;
}

}  // namespace

std::string page_with(const Json& results, const std::string& page) {
  static constexpr std::string_view kPlace =
      R"(<script id="scree-results" type="application/json">)";
  const std::size_t place = page.find(kPlace);
  if (place == std::string::npos)
    throw EnvironmentError("this program was built without the page of the report");
  std::string text = page;
  text.insert(place + kPlace.size(),
              inside_script(results.dump(-1, ' ', false, Json::error_handler_t::replace)));
  return text;
}

}  // namespace scree
