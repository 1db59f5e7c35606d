#include "collision/contacts.h"

#include "base/text.h"
#include "collision/bullet_backend.h"
#include "collision/native_backend.h"
#include "scree/error.h"

namespace scree {

std::vector<std::string> collision_backends() {
#ifdef SCREE_HAS_BULLET
  return {"scree", "bullet"};
#else
  return {"scree"};
#endif
}

std::unique_ptr<CollisionBackend> make_collision_backend(const std::string& name) {
  if (name == "scree") return std::make_unique<NativeBackend>();
#ifdef SCREE_HAS_BULLET
  if (name == "bullet") return make_bullet_backend();
#endif
  throw InputError("there is no collision back end '" + name + "'; there are " +
                   join_words(collision_backends()));
}

}  // namespace scree
