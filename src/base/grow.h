// Room for lists that change their length from step to step.
#pragma once

#include <cstddef>

namespace scree {

/// resize() which, when it has to move, leaves room for an eighth more: doubling would cost a large
/// scene gigabytes that it never uses.
template <class Vector>
void resize_with_room(Vector& vector, std::size_t size) {
  if (size > vector.capacity()) vector.reserve(size + size / 8);
  vector.resize(size);
}

}  // namespace scree
