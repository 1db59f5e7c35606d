// Serving the viewer from the command line: where, and how the user gets there.
#pragma once

#include <string>

#include "run_arguments.h"
#include "view/live_view.h"

namespace scree::app {

/// Another address than this machine's own gets a token.
ServerOptions server_options(const ViewArguments& arguments);
LiveOptions live_options(const ViewArguments& arguments, const WorldOptions& world);
bool can_control(const ViewArguments& arguments);

/// Says where to look, and opens a browser when there is a desktop to open it on.
void show_link(const std::string& link, const ViewArguments& arguments, const std::string& name);

}  // namespace scree::app
