// The contacts of the last step as a recording keeps them.
#pragma once

#include <vector>

#include "record/recorder.h"
#include "scree/world.h"

namespace scree {

/// Scene body indices, impulses in world axes. `contacts` is overwritten, so that its memory serves
/// every step.
void collect_contacts(const World& world, std::vector<RecordedContact>& contacts);

}  // namespace scree
