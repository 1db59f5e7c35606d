// A cube falls on the ground and stays there.
#include <cstdio>

#include "scree/scree.h"

int main() {
  scree::World world(scree::Scene().add(scree::ground()).add(scree::box({1, 1, 1}).at({0, 0, 3})));
  world.run(2.0);
  std::printf("the cube rests at z = %.3f m\n", world.pose(1).position.z());
}
