#include "solve/krylov.h"

#include <Eigen/QR>

namespace scree {

double gmres(const std::function<void(const VecX&, VecX&)>& product, const VecX& right, VecX& x,
             int basis_size, int restarts, double tolerance) {
  const double scale = right.norm();
  if (!(scale > 0.0)) {
    x.setZero();
    return 0.0;
  }
  MatX basis(right.size(), basis_size + 1), upper = MatX::Zero(basis_size + 1, basis_size);
  VecX image(right.size());
  double error = 1.0;
  for (int cycle = 0; cycle <= restarts; ++cycle) {
    product(x, image);
    VecX left = right - image;
    const double length = left.norm();
    error = length / scale;
    if (!(error > tolerance)) break;
    basis.col(0) = left / length;
    upper.setZero();
    int used = 0;
    for (; used < basis_size; ++used) {
      product(basis.col(used), image);
      for (int k = 0; k <= used; ++k) {  // modified Gram-Schmidt
        upper(k, used) = basis.col(k).dot(image);
        image -= upper(k, used) * basis.col(k);
      }
      upper(used + 1, used) = image.norm();
      if (!(upper(used + 1, used) > 1e-14 * scale)) {
        ++used;
        break;
      }
      basis.col(used + 1) = image / upper(used + 1, used);
    }
    VecX goal = VecX::Zero(used + 1);
    goal[0] = length;
    const VecX y = upper.topLeftCorner(used + 1, used).colPivHouseholderQr().solve(goal);
    x += basis.leftCols(used) * y;
  }
  return error;
}

}  // namespace scree
