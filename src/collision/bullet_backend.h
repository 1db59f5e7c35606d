// The collision back end "bullet": Bullet's btCollisionWorld finds the contacts. There to compare
// with, and for users who must match a Bullet simulation; built when the library is found.
#pragma once

#include <memory>

#include "collision/contacts.h"

namespace scree {

std::unique_ptr<CollisionBackend> make_bullet_backend();

}  // namespace scree
