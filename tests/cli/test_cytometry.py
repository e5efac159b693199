"""FCS files: groups by their names, arcsinh in the model, text kept, one file out per file in."""

import json
import unittest

from support import CommandTest

try:
    import numpy
    import pandas
except ImportError:
    numpy = pandas = None


@unittest.skipIf(numpy is None, "this Python has no numpy and pandas")
class Cytometry(CommandTest):

    def make_days(self, which="control"):
        """Two days of one panel, the second brighter, with zeros and a clock."""
        generator = numpy.random.default_rng(len(which))
        for day, gain in (("monday", 1.0), ("friday", 1.6)):
            cells = numpy.sinh(generator.normal(1.5, 0.8, size=(400, 2))) * 5 * gain
            cells[::3, 0] = 0
            frame = pandas.DataFrame({"Time": numpy.arange(400.0), "CD3": cells[:, 0],
                                      "CD4": cells[:, 1]})
            frame.to_csv(self.folder / "day.csv", index=False)
            self.run_command("convert", "day.csv", f"{day}_{which}.fcs", "-q")

    def values(self, name):
        self.run_command("convert", name, "values.csv", "-q")
        return pandas.read_csv(self.folder / "values.csv", float_precision="round_trip")

    def test_fit_on_controls_and_move_the_others(self):
        self.make_days("control")
        self.make_days("patient")
        (self.folder / "moved").mkdir()
        (self.folder / "back").mkdir()
        told = self.call("fit", "monday_control.fcs", "friday_control.fcs", "--arcsinh", 5,
                         "--rename", "*_control=*", "--layers", 4, "-o", "m.conflux").stderr
        self.assertIn("arcsinh(x / 5)", told)
        self.assertIn("Time: copied unchanged, because it is the time of the measurement", told)
        patients = ("monday_patient.fcs", "friday_patient.fcs")
        self.run_command("transform", "m.conflux", *patients, "--rename", "*_patient=*",
                         "-o", "moved/")
        self.run_command("inverse", "m.conflux", *(f"moved/{name}" for name in patients),
                         "--rename", "*_patient=*", "-o", "back")
        gaps = []
        for name in patients:
            before, after = self.values(name), self.values(f"back/{name}")
            self.assertEqual(list(before), list(after))
            numpy.testing.assert_array_equal(before["Time"], after["Time"])
            numpy.testing.assert_allclose(before, after, rtol=1e-7, atol=1e-7)
            self.assertTrue((after["CD3"][::3] == 0).all())
            gaps.append(numpy.median(self.values(f"moved/{name}")["CD4"]))
        # The days differed by 60 %.
        self.assertLess(abs(gaps[0] / gaps[1] - 1), 0.2)

    def test_the_preset_serves_others_marker_by_marker(self):
        self.make_days("control")
        self.make_days("patient")
        told = self.call("fit", "monday_control.fcs", "friday_control.fcs", "--preset", "cytometry",
                         "--rename", "*_control=*", "-o", "m.conflux").stderr
        self.assertIn("arcsinh(x / 5), one map per marker (--method nb)", told)
        found = json.loads(self.run_command(
            "evaluate", "m.conflux", "monday_patient.fcs", "friday_patient.fcs", "--rename",
            "*_patient=*", "--by-feature", "--json"))["features"]
        self.assertEqual(sorted(found), ["CD3", "CD4"])
        frames = [self.values(f"{day}_patient.fcs") for day in ("monday", "friday")]
        before, after = (numpy.sort(numpy.arcsinh(frame["CD4"] / 5)) for frame in frames)
        # The definition, for samples of equal size.
        self.assertAlmostEqual(found["CD4"]["emd"]["before"], abs(before - after).mean(), places=9)
        mads = [numpy.median(abs(x - numpy.sort(x)[200])) for x in (before, after)]
        self.assertAlmostEqual(found["CD4"]["mad"]["before"], numpy.mean(mads), delta=0.01)
        self.assertLess(found["CD4"]["emd"]["after"], 0.5 * found["CD4"]["emd"]["before"])
        self.assertIn("EMD before", self.run_command(
            "evaluate", "m.conflux", "monday_patient.fcs", "friday_patient.fcs", "--rename",
            "*_patient=*", "--by-feature"))

    def test_several_files_do_not_become_one_without_telling(self):
        self.make_days()
        self.run_command("fit", "monday_control.fcs", "friday_control.fcs", "--layers", 2,
                         "-o", "m.conflux")
        done = self.call("transform", "m.conflux", "monday_control.fcs", "friday_control.fcs",
                         "-o", "both.fcs")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("name a folder with -o", done.stderr)
        self.run_command("transform", "m.conflux", "monday_control.fcs", "friday_control.fcs",
                         "-o", "both.csv")
        frame = pandas.read_csv(self.folder / "both.csv")
        self.assertEqual(sorted(set(frame["group"])), ["friday_control", "monday_control"])

    def test_words_of_fcs_are_checked(self):
        self.make_days()
        done = self.call("convert", "monday_control.fcs", "x.csv", "--fcs", "uncompensatd")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('did you mean "uncompensated"?', done.stderr)


if __name__ == "__main__":
    unittest.main()
