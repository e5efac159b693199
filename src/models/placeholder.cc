namespace conflux {}
