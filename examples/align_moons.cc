// Two moons before, in the shared space, and one translated into the other, as tables to draw.
//
//   align_moons FOLDER    writes before.csv, shared.csv and translated.csv

#include <conflux/conflux.h>

#include <filesystem>
#include <iostream>

int main(int argc, char** argv) {
  using namespace conflux;
  if (argc != 2) {
    std::cerr << "usage: align_moons FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  const GroupSet moons = make_moons({.samples = 600});
  const Fit fit = fit_flow(moons, {});
  const Workers workers;

  GroupSet shared;
  GroupSet translated;
  for (const Index m : {0, 1}) {
    shared.add(moons[m].name, fit.flow.forward(m, moons[m].rows, workers));
    translated.add(moons[m].name, fit.flow.translate(m, 1 - m, moons[m].rows, workers));
  }
  for (GroupSet* each : {&shared, &translated}) each->set_feature_names(moons.feature_names());
  write_csv(folder / "before.csv", moons);
  write_csv(folder / "shared.csv", shared);
  write_csv(folder / "translated.csv", translated);
}
