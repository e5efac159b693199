#include <conflux/conflux.h>

int main() {
  conflux::GroupSet groups;
  groups.add("a", conflux::Matrix(conflux::Matrix::Zero(3, 2)));
  return groups.dim() == 2 ? 0 : 1;
}
