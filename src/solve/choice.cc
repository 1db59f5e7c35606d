#include "scree/choice.h"

#include <array>
#include <string_view>

namespace scree {
namespace {

struct Text {
  const char *name, *what, *why;
};

// In the order of the enum. The numbers are those of gauss_seidel.cc, single_momentum.h,
// automatic.cc, last_resort.cc and auto_rows.cc.
constexpr std::array<Text, kChoices> kTexts{{
    {"asked", "the method that was asked for", "nothing was to be chosen"},
    {"idle", "nothing", "nothing touches and nothing is joined"},
    {"small-sweeps", "sweeps contact by contact", "fewer than 200 contacts"},
    {"balls", "sweeps in single precision, for balls",
     "200 contacts or more, all of balls, a tolerance of 2e-5 or more"},
    {"planar", "sweeps in single precision, for the plane",
     "200 contacts or more, planar, rigid and without friction, a tolerance of 2e-5 or more"},
    {"single-sweeps", "sweeps in single precision",
     "200 contacts or more, a warm start, a tolerance of 2e-5 or more"},
    {"cold-sweeps", "sweeps, polished beyond the tolerance",
     "200 contacts or more and nothing to start from: what is left undone, later steps inherit"},
    {"tight-sweeps", "sweeps in double precision",
     "200 contacts or more, a tolerance below 2e-5, which single precision does not reach"},
    {"solved-start", "nothing",
     "200 contacts or more, and the start was within a hundredth of the tolerance"},
    {"double-sweeps", "sweeps in double precision",
     "200 contacts or more, with a law, rows, bodies or options that single precision does not "
     "have"},
    {"single-stuck", "sweeps in single, then in double precision",
     "200 contacts or more, and single precision did not arrive"},
    {"least-squares", "sweeps and least squares",
     "the first sweeps ended within 3 times the tolerance"},
    {"interior-point", "interior point", "sweeps did not arrive"},
    {"large-factor", "further sweeps",
     "sweeps did not arrive, and a factor for the interior point would be too much work"},
    {"blow", "further sweeps",
     "sweeps did not arrive, and bodies move faster than 1.5 times what gravity gives in a step"},
    {"interior-missed", "further sweeps", "neither sweeps nor the interior point arrived"},
    {"joints", "joints by a factor, contacts by turns", "joints or other rows"},
    {"last-resort", "sweeps and Newton on matrices by turns",
     "nothing else arrived, and there are 2000 contacts and rows at most"},
    {"rows", "pivoting, Newton and sweeps by turns", "rows without contacts, or the law pyramid"},
    {"rolling", "sweeps and admm by turns", "matrices with rolling friction"},
    {"relaxed", "sweeps, Newton and interior point by turns", "matrices with the law relaxed"},
    {"portfolio", "sweeps and Newton by turns", "contacts given by matrices"},
}};
static_assert(static_cast<std::size_t>(Choice::portfolio) + 1 == kChoices);

const Text& text_of(Choice choice) { return kTexts[static_cast<std::size_t>(choice)]; }

}  // namespace

const char* name_of(Choice choice) { return text_of(choice).name; }
const char* what_of(Choice choice) { return text_of(choice).what; }
const char* why_of(Choice choice) { return text_of(choice).why; }

Choice choice_named(const char* name) {
  for (std::size_t k = 0; k < kChoices; ++k) {
    if (std::string_view(kTexts[k].name) == name) return static_cast<Choice>(k);
  }
  return Choice::asked;
}

}  // namespace scree
