"""Any format in, any out; numpy and pandas read what we write and we read what they write."""

import gzip
import json
import unittest

from support import CommandTest

try:
    import numpy
    import pandas
except ImportError:
    numpy = pandas = None
try:
    import netCDF4
except ImportError:
    netCDF4 = None

TEXT = ("csv", "tsv", "txt", "csv.gz", "tsv.zst")
NUMPY = ("npy", "npz", "npy.gz")


@unittest.skipIf(numpy is None, "this Python has no numpy and pandas")
class Formats(CommandTest):

    def table(self):
        generator = numpy.random.default_rng(0)
        values = numpy.concatenate([generator.normal(size=(40, 3)),
                                    generator.normal(size=(40, 3)) * 1e-300,
                                    [[0.1, -0.0, 1e308]]])
        frame = pandas.DataFrame(values, columns=["c0", "c1", "c2"])
        frame["group"] = ["a", "b ü"] * 40 + ["a"]
        return frame

    def read_back(self, name):
        path = self.folder / name
        if name.endswith("npz"):
            with numpy.load(path) as arrays:
                return arrays["X"], list(arrays["group"]) if "group" in arrays else None
        if name.endswith("npy"):
            return numpy.load(path), None
        if name.endswith("npy.gz"):
            with gzip.open(path) as file:
                return numpy.lib.format.read_array(file), None
        if name.endswith("zst"):
            self.run_command("convert", name, "plain.tsv")
            path = self.folder / "plain.tsv"
        frame = pandas.read_csv(path, sep="," if ".csv" in name else "\t",
                                float_precision="round_trip")
        return (frame[["c0", "c1", "c2"]].to_numpy(),
                list(frame["group"]) if "group" in frame else None)

    def test_every_format_turns_into_every_other_without_loss(self):
        frame = self.table()
        values = frame[["c0", "c1", "c2"]].to_numpy()
        frame.to_csv(self.folder / "start.csv", index=False)
        for source in TEXT + NUMPY:
            self.run_command("convert", "start.csv", f"a.{source}", "-q")
            for target in TEXT + NUMPY:
                with self.subTest(source=source, target=target):
                    self.run_command("convert", f"a.{source}", f"b.{target}", "-q")
                    numbers, groups = self.read_back(f"b.{target}")
                    numpy.testing.assert_array_equal(numbers, values)
                    if groups is not None and "npy" not in source:
                        self.assertEqual(groups, list(frame["group"]))

    def test_what_numpy_writes_is_read(self):
        values = self.table()[["c0", "c1", "c2"]].to_numpy()[:40]
        arrays = {
            "c": values, "fortran": numpy.asfortranarray(values), "big": values.astype(">f8"),
            "single": values.astype("f4"), "whole": (values * 100).astype("i4"),
            "byte": (values * 10).astype("u1"), "flag": values > 0}
        for name, array in arrays.items():
            with self.subTest(name):
                numpy.save(self.folder / "in.npy", array)
                self.run_command("convert", "in.npy", "out.npy")
                numpy.testing.assert_array_equal(numpy.load(self.folder / "out.npy"),
                                                 array.astype("f8"))
        numpy.savez_compressed(self.folder / "in.npz", X=values, batch=numpy.arange(40) % 3)
        self.run_command("convert", "in.npz", "out.csv", "--group", "batch")
        frame = pandas.read_csv(self.folder / "out.csv", float_precision="round_trip")
        self.assertEqual(list(frame["batch"]), [i % 3 for i in range(40)])

    def test_text_of_many_habits_is_read(self):
        frame = self.table()
        numbers = frame[["c0", "c1", "c2"]].to_numpy()
        for settings in ({}, {"lineterminator": "\r\n"}, {"encoding": "utf-8-sig"},
                         {"quoting": 1}, {"float_format": "%.17g"}, {"sep": ";"}):
            with self.subTest(settings):
                frame.to_csv(self.folder / "in.txt", index=False, **settings)
                self.run_command("convert", "in.txt", "out.npz")
                with numpy.load(self.folder / "out.npz") as arrays:
                    numpy.testing.assert_allclose(arrays["X"], numbers, rtol=1e-12)
                    self.assertEqual(list(arrays["group"]), list(frame["group"]))
        frame.to_csv(self.folder / "in.csv", index=False, header=False)
        self.run_command("convert", "in.csv", "out.npy", "--no-header", "-q")
        numpy.testing.assert_array_equal(numpy.load(self.folder / "out.npy"), numbers)

    def test_standard_input_and_output(self):
        self.make_moons()
        text = (self.folder / "moons.csv").read_text()
        self.assertEqual(self.run_command("convert", "-", "-", stdin=text), text)
        self.run_command("fit", "-", "--layers", 3, "-o", "m.conflux", stdin=text)
        self.run_command("transform", "m.conflux", "moons.csv", "-o", "z.csv")
        piped = self.run_command("transform", "m.conflux", "-", "-o", "-", stdin=text)
        self.assertEqual(piped, (self.folder / "z.csv").read_text())

    def test_fits_do_not_depend_on_the_format(self):
        self.make_moons()
        self.run_command("convert", "moons.csv", "moons.npz")
        outputs = set()
        for name in ("moons.csv", "moons.npz"):
            self.run_command("fit", name, "--layers", 3, "-o", "m.conflux")
            self.run_command("transform", "m.conflux", name, "-o", "z.npy")
            outputs.add(self.read("z.npy"))
        self.assertEqual(len(outputs), 1)

    def test_mapped_files_give_the_bits_of_tables(self):
        self.make_moons()
        frame = pandas.read_csv(self.folder / "moons.csv", float_precision="round_trip")
        for group, part in frame.groupby("group"):
            numpy.save(self.folder / f"g{group}.npy", part[["x", "y"]].to_numpy())
            numpy.save(self.folder / f"f{group}.npy", numpy.asfortranarray(part[["x", "y"]].to_numpy()))
        self.run_command("fit", "g0.npy", "g1.npy", "--layers", 3, "-o", "mapped.conflux")
        self.run_command("fit", "f0.npy", "f1.npy", "--layers", 3, "-o", "tables.conflux")
        self.run_command("transform", "mapped.conflux", "g0.npy", "--from", "g0", "-o", "a.npy")
        self.run_command("transform", "tables.conflux", "g0.npy", "--from", "f0", "-o", "b.npy")
        self.assertEqual(self.read("a.npy"), self.read("b.npy"))

    def test_bytes_of_images_are_idx(self):
        pixels = numpy.arange(2 * 4, dtype="u1").reshape(2, 4) * 30
        numpy.save(self.folder / "in.npy", pixels)
        self.run_command("convert", "in.npy", "images-idx3-ubyte")
        self.run_command("convert", "images-idx3-ubyte", "out.npy")
        numpy.testing.assert_array_equal(numpy.load(self.folder / "out.npy"), pixels)


class Conditions(CommandTest):
    """Rows to fit on, by numbers and words of any column."""

    def setUp(self):
        super().setUp()
        rows = [f"{i % 7 + 0.1 * (i % 3)},{i % 5},{1950 + i // 40},{'ab'[i % 2]},{'xy'[i // 2 % 2]}"
                for i in range(800)]
        self.write("years.csv", "u,v,year,group,site\n" + "\n".join(rows) + "\n")

    def rows_fitted(self, condition):
        self.run_command("fit", "years.csv", "--method", "nb", "--fit-where", condition,
                         "-o", "m.conflux", "-q")
        return sum(json.loads(self.run_command("info", "m.conflux", "--json"))["groups"].values())

    def test_numbers_are_compared_and_conditions_joined(self):
        self.assertEqual(self.rows_fitted("year<1955"), 200)
        self.assertEqual(self.rows_fitted("year>=1955 and year<=1959"), 200)
        self.assertEqual(self.rows_fitted("year > 1968"), 40)
        self.assertEqual(self.rows_fitted("site=x"), 400)
        self.assertEqual(self.rows_fitted("site!=x and year<1952"), 40)

    def test_what_is_true_of_nothing_is_told_with_the_range(self):
        for condition, part in (("year<1900", '"year" goes from 1950 to 1969'),
                                ("site<3", '"x" is no number'), ("site=z", '"x"'),
                                ("year<soon", '"soon" is no number'), ("year", "COLUMN=VALUE")):
            done = self.call("fit", "years.csv", "--fit-where", condition, "-o", "m.conflux")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(part, done.stderr)


class Pictures(CommandTest):

    def picture(self, name, shift):
        pixels = bytes((shift * (k % 3) + 5 * k + k * k // 7) % 200 for k in range(3 * 40 * 30))
        (self.folder / name).write_bytes(b"P6\n40 30\n255\n" + pixels)

    def test_a_picture_takes_the_colors_of_another(self):
        self.picture("day.ppm", 10)
        self.picture("night.ppm", 40)
        self.run_command("fit", "day.ppm", "night.ppm", "--fit-rows", "300", "--method", "nb",
                         "-o", "m.conflux")
        sizes = json.loads(self.run_command("info", "m.conflux", "--json"))["groups"]
        self.assertEqual(sizes, {"day": 300, "night": 300})
        self.run_command("translate", "m.conflux", "day.ppm", "--to", "night", "-o", "out.png")
        self.assertTrue(self.read("out.png").startswith(b"\x89PNG"))
        self.run_command("convert", "out.png", "out.ppm")
        self.assertEqual(len(self.read("out.ppm")), len(self.read("day.ppm")))
    def test_folders_of_pictures_are_translated_into_folders(self):
        for name, ink in (("pale", 60), ("dark", 200)):
            (self.folder / name).mkdir()
            for k in range(40):
                pixels = bytes(ink + (7 * k + 3 * j * k + j) % 40 for j in range(12))
                (self.folder / name / f"{k:02}.pgm").write_bytes(b"P5\n4 3\n255\n" + pixels)
        self.run_command("fit", "pale", "dark/", "--method", "nb", "-o", "m.conflux")
        self.run_command("translate", "m.conflux", "pale/", "--to", "dark", "-o", "out/")
        pictures = sorted((self.folder / "out/pale").iterdir())
        self.assertEqual([path.name for path in pictures], [f"{k:02}.pgm" for k in range(40)])
        self.assertGreater(min(pictures[3].read_bytes()[-12:]), 150)

    def test_photographs_of_other_formats_are_answered(self):
        done = self.call("fit", "day.jpg", "-o", "m.conflux")
        self.assertIn("djpeg", done.stderr)


@unittest.skipIf(netCDF4 is None, "this Python has no netCDF4")
class Climate(CommandTest):

    def setUp(self):
        super().setUp()
        if "built without the netCDF library" in self.call("convert", "a.nc", "x.csv").stderr:
            self.skipTest("conflux was built without netCDF")
        generator = numpy.random.default_rng(0)
        for name, shift in (("gcm", 3.0), ("rcm", 0.0)):
            with netCDF4.Dataset(self.folder / f"{name}.nc", "w") as file:
                file.createDimension("time", 730)
                time = file.createVariable("time", "f8", ("time",))
                time[:] = numpy.arange(730)
                time.units, time.calendar = "days since 1980-01-01", "noleap"
                tas = file.createVariable("tas", "f4", ("time",))
                tas.units = "K"
                tas[:] = 280 + shift + generator.normal(size=730)
                rain = file.createVariable("pr", "f4", ("time",), fill_value=-1)
                rain[:] = numpy.maximum(0, generator.normal(size=730) + shift / 3)

    def test_fitted_on_one_year_and_adjusted_in_all(self):
        self.run_command("fit", "gcm.nc", "rcm.nc", "--fit-where", "year<1981", "-o", "m.conflux")
        sizes = json.loads(self.run_command("info", "m.conflux", "--json"))["groups"]
        self.assertEqual(sizes, {"gcm": 365, "rcm": 365})
        self.run_command("translate", "m.conflux", "gcm.nc", "--to", "rcm", "-o", "adjusted.nc")
        with netCDF4.Dataset(self.folder / "adjusted.nc") as file:
            self.assertEqual(file["tas"].units, "K")
            self.assertEqual(file["tas"].dtype, "f4")
            self.assertLess(abs(file["tas"][365:].mean() - 280), 0.3)
            self.assertGreaterEqual(file["pr"][:].min(), 0)
            self.assertFalse(numpy.ma.is_masked(file["pr"][:]))


if __name__ == "__main__":
    unittest.main()
