"""The optional study with convolutional networks: laws of its flow, and that a run goes on where it was stopped."""

import pathlib
import sys
import tempfile
import unittest

try:
    import numpy as np
    import scipy  # noqa: F401
    import torch
except ImportError as error:
    print(f"skipped: {error}; tools/install_packages.sh neural")
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "studies" / "neural"))

import images  # noqa: E402
import train  # noqa: E402
from flow import Flow, squeeze, unsqueeze  # noqa: E402

torch.set_num_threads(1)


def some_images(count, seed):
    return torch.rand(count, 1, 28, 28, generator=torch.Generator().manual_seed(seed)) * 0.9


def roughened(flow):
    """A new flow moves nothing but by chance; this one moves much."""
    random = torch.Generator().manual_seed(3)
    for parameter in flow.parameters():
        parameter.data += 0.05 * torch.randn(parameter.shape, generator=random)
    return flow.double().eval()


class FlowLaws(unittest.TestCase):
    def test_returns_every_image(self):
        flow = roughened(Flow(2, 2, 1))
        rows = some_images(3, 1).double()
        with torch.no_grad():
            self.assertLess(float((flow.inverse(flow(rows)[0]) - rows).abs().max()), 1e-9)

    def test_states_how_volumes_change(self):
        flow = roughened(Flow(2, 2, 1))
        rows = some_images(1, 2)[:, :, :4, :4].double()
        slopes = torch.autograd.functional.jacobian(lambda x: flow(x)[0].flatten(), rows).reshape(16, 16)
        with torch.no_grad():
            self.assertAlmostEqual(float(torch.linalg.slogdet(slopes)[1]), float(flow(rows)[1]), places=6)

    def test_squares_become_channels_and_return(self):
        rows = some_images(2, 4)
        self.assertEqual(squeeze(rows).shape, (2, 4, 14, 14))
        self.assertTrue(torch.equal(unsqueeze(squeeze(rows)), rows))


class Runs(unittest.TestCase):
    def after(self, method, stops):
        """Parameters after as many steps, in as many starts."""
        groups = [some_images(40, 5), some_images(40, 6)]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "run.pt"
            for stop in stops:
                run = train.Training(method, "tiny", 1e-4, 0, torch.device("cpu"))
                if path.exists():
                    run.load(path)
                while run.steps < stop:
                    run.step(groups)
                run.save(path)
        return torch.cat([p.detach().flatten() for p in run.networks.parameters()])

    def test_go_on_where_they_were_stopped(self):
        train.SIZES["alignflow"]["tiny"], train.SIZES["cyclegan"]["tiny"] = (2, 2, 1, 0), (2, 1)
        train.CHANNELS_OF_CRITICS["tiny"] = 2
        for method in ("alignflow", "cyclegan"):
            train.BATCHES[method]["tiny"] = 2
            with self.subTest(method):
                once = self.after(method, [4])
                self.assertTrue(torch.equal(self.after(method, [2, 4]), once))
                self.assertFalse(torch.equal(self.after(method, [2]), once))


class Distances(unittest.TestCase):
    def test_have_the_known_values(self):
        x, y = np.array([[0.], [1.], [3.], [6.]]), np.array([[0.5], [1.5], [2.], [7.]])
        cost = images.squared_distances(x, y)
        self.assertAlmostEqual(images.exact_w2(cost), 0.625)
        self.assertAlmostEqual(images.paper_wd(cost), 0.625000025, places=7)
        self.assertAlmostEqual(images.paper_wd(cost.T), 0.651785740, places=7)


if __name__ == "__main__":
    unittest.main()
