#include "lab/page.h"

#include <string_view>

#include "base/script_text.h"
#include "scree/error.h"

namespace scree {
namespace {

using Json = nlohmann::ordered_json;

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
