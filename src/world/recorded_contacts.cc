#include "world/recorded_contacts.h"

#include <cassert>

#include "collision/contacts.h"

namespace scree {

void collect_contacts(const World& world, std::vector<RecordedContact>& contacts) {
  const std::vector<Contact>& found = world.contacts().list;
  const std::vector<ContactBlock>& blocks = world.problem().contacts;
  const std::vector<Vec3>& impulses = world.impulses().contacts;
  const std::vector<double>& residuals = world.contact_residuals();
  assert(found.size() == blocks.size() && found.size() == impulses.size());
  assert(found.size() == residuals.size());
  contacts.resize(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const ContactBlock& block = blocks[i];
    const Vec3 impulse = impulses[i][0] * block.normal + impulses[i][1] * block.tangent +
                         impulses[i][2] * block.tangent2();
    contacts[i] = {found[i].a - 1, found[i].b - 1, found[i].point, found[i].normal,
                   found[i].gap,   impulse,        residuals[i]};
  }
}

}  // namespace scree
