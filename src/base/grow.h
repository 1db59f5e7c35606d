// Room for lists that change their length from step to step.
#pragma once

#include <cstddef>

namespace scree {

/// Room for `size` entries in a list that is about to be written anew: its entries are lost when it
/// has to move. It then leaves room for an eighth more, as doubling would cost a large scene
/// gigabytes that it never uses, and the old memory is given back first: both at once were the peak
/// of a large scene.
template <class Vector>
void make_room(Vector& vector, std::size_t size) {
  if (size <= vector.capacity()) return;
  Vector().swap(vector);
  vector.reserve(size + size / 8);
}

/// resize() that keeps what is in the list and leaves room in the same way.
template <class Vector>
void resize_with_room(Vector& vector, std::size_t size) {
  if (size > vector.capacity()) vector.reserve(size + size / 8);
  vector.resize(size);
}

/// resize() of a list that is written anew.
template <class Vector>
void resize_for_overwrite(Vector& vector, std::size_t size) {
  make_room(vector, size);
  vector.resize(size);
}

/// assign() of a list that is written anew.
template <class Vector>
void fill_with_room(Vector& vector, std::size_t size, const typename Vector::value_type& value) {
  make_room(vector, size);
  vector.assign(size, value);
}

/// A copy into a list that is written anew.
template <class Vector>
void copy_with_room(const Vector& from, Vector& to) {
  make_room(to, from.size());
  to = from;
}

}  // namespace scree
