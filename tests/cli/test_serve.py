"""conflux serve: who may ask, what it survives, and that nothing is left behind."""

import gzip
import json
import os
import signal
import socket
import stat
import time
import unittest

import numpy as np

from serving import ServeTest


class WhoMayAsk(ServeTest):

    def test_heads_of_strangers_are_refused(self):
        server = self.serve()
        host, token = server.host, server.token
        state, check = "/api/state", "/api/check"
        cases = {
            "nothing wrong": (200, server.head("GET", state)),
            "the other name of this machine": (
                200, server.head("GET", state, Host=f"localhost:{server.port}")),
            "the page needs no token": (200, server.head("GET", "/", leave_out=["X-Conflux-Token"])),
            "another name": (403, server.head("GET", state, Host="evil.example")),
            "a name that begins alike": (403, server.head("GET", state, Host=host + ".evil.example")),
            "without port": (403, server.head("GET", state, Host="127.0.0.1")),
            "another name for the page": (403, server.head("GET", "/", Host="evil.example")),
            "no name": (0, server.head("GET", "/", leave_out=["Host"])),
            "two names": (403, server.head("GET", "/").replace(
                b"\r\n\r\n", f"\r\nHost: {host}\r\n\r\n".encode())),
            "no token": (403, server.head("GET", state, leave_out=["X-Conflux-Token"])),
            "a wrong token": (403, server.head("GET", state, X_Conflux_Token="0" * len(token))),
            "half a token": (403, server.head("GET", state, X_Conflux_Token=token[:32])),
            "an empty token": (403, server.head("GET", state, X_Conflux_Token="")),
            "a token in the address": (403, server.head(
                "GET", f"{state}?token={token}", leave_out=["X-Conflux-Token"])),
            "no origin": (403, server.head("POST", check, leave_out=["Origin"], Content_Length=2)),
            "a foreign origin": (403, server.head(
                "POST", check, Origin="http://evil.example", Content_Length=2)),
            "an origin of a file": (403, server.head("POST", check, Origin="null", Content_Length=2)),
            "another port's origin": (403, server.head(
                "POST", check, Origin="http://127.0.0.1:1", Content_Length=2)),
            "chunks": (411, server.head("POST", check, Transfer_Encoding="chunked")),
            "chunks and a length": (411, server.head(
                "POST", "/api/table", Transfer_Encoding="chunked", Content_Length=3)),
            "no length": (411, server.head("POST", check)),
            "a negative length": (400, server.head("POST", check, Content_Length=-1)),
            "a packed body": (415, server.head(
                "POST", check, Content_Encoding="gzip", Content_Length=2)),
            "too many words": (413, server.head("POST", check, Content_Length=1 << 20)),
            "five gigabytes": (413, server.head("POST", "/api/table", Content_Length=5 * 10**9)),
            "a folder above": (404, server.head("GET", "/../../etc/passwd")),
            "a folder above, encoded": (404, server.head("GET", "/api/result/1/%2e%2e/%2e%2e/x")),
            "no such result": (404, server.head("GET", "/api/result/1/aligned")),
            "other methods": (405, server.head("OPTIONS", state)),
            "to change": (405, server.head("PUT", "/api/table", Content_Length=2)),
            "to remove": (405, server.head("DELETE", "/api/table")),
        }
        for name, (status, data) in cases.items():
            with self.subTest(name):
                answered = server.status(data)
                self.assertTrue(answered == status or (status == 0 and answered >= 400), answered)
                self.assertNotIn(b"Access-Control", server.raw(data))
        self.assertEqual(server.status(server.head("GET", state)), 200)

    def test_malformed_requests_do_no_harm(self):
        server = self.serve()
        good = server.head("GET", "/api/state")
        random = np.random.default_rng(0)
        broken = [b"", b"\r\n\r\n", b"GET", b"GET / HTTP/9.9\r\n\r\n", b"\x16\x03\x01\x02\x00" * 50,
                  b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
                  b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 50_000 + b"\r\n",
                  b"GET / HTTP/1.1\r\nHost: " + b"h" * 100_000 + b"\r\n\r\n",
                  b"GET /\0 HTTP/1.1\r\n\r\n", b"GET  /  HTTP/1.1\r\n: \r\n\r\n",
                  server.head("POST", "/api/check", Content_Length=4) + b"{\xff\xff}",
                  server.head("POST", "/api/check", Content_Length=20_000) + b"[" * 20_000,
                  server.head("POST", "/api/check", Content_Length=10) + b"{}"]
        for _ in range(100):
            data = bytearray(good)
            for place in random.integers(0, len(data), size=random.integers(1, 6)):
                data[place] = random.integers(0, 256)
            broken.append(bytes(data[:random.integers(1, len(data) + 1)]))
        for data in broken:
            server.raw(data, timeout=0.1)
        # Heads that never end do not keep others waiting, nor do those who only seem to listen on.
        waiting = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(100)]
        for each in waiting:
            each.sendall(b"GET /api/state HT")
        for each in waiting[:50]:
            each.shutdown(socket.SHUT_WR)
        self.assertEqual(server.status(good), 200)
        for each in waiting:
            each.close()

    def test_only_this_machine_can_connect(self):
        server = self.serve()
        listening = []
        for table in ("/proc/net/tcp", "/proc/net/tcp6"):
            with open(table, encoding="ascii") as lines:
                for line in list(lines)[1:]:
                    _, local, _, status = line.split()[:4]
                    if status == "0A" and int(local.split(":")[1], 16) == server.port:
                        listening.append(local.split(":")[0])
        self.assertEqual(listening, ["0100007F"])

    def test_every_answer_keeps_the_page_from_strangers(self):
        server = self.serve()
        for data in (server.head("GET", "/"), server.head("GET", "/api/state"),
                     server.head("GET", "/api/state", X_Conflux_Token="no")):
            head = server.raw(data).partition(b"\r\n\r\n")[0].decode()
            policy = next(line for line in head.split("\r\n") if line.startswith("Content-Security"))
            self.assertIn("default-src 'none'", policy)
            self.assertNotIn("unsafe", policy)
            self.assertIn("X-Content-Type-Options: nosniff", head)
            self.assertNotIn("Set-Cookie", head)

    def test_tokens_are_new_every_time(self):
        tokens = {self.serve().token for _ in range(3)}
        self.assertEqual(len(tokens), 3)
        self.assertTrue(all(len(token) == 64 for token in tokens))


class FromTableToResult(ServeTest):

    def test_the_aligned_table_is_that_of_the_command(self):
        self.make_moons()
        server = self.serve()
        self.assertEqual(server.send_table(self.read("moons.csv"), "my moons.csv")[0], 202)
        found = server.wait()["table"]
        self.assertEqual((found["name"], found["found"]["rows"]), ("my moons.csv", 400))
        self.assertEqual(found["found"]["group"], "group")
        self.assertEqual(server.post("/api/align", group="group")[0], 202)
        state = server.wait()
        self.assertEqual(state["job"]["error"], "")
        # Rows have been seen on their way.
        self.assertGreater(state["job"]["last"]["layers"], 0)
        self.assertEqual(len(state["job"]["last"]["places"]), 2 * 400)
        result = state["results"][0]
        for part, name in (("aligned", "page.csv"), ("model", "m.conflux"), ("report", "r.html")):
            status, body = server.ask("GET", f"/api/result/{result['number']}/{part}")
            self.assertEqual(status, 200)
            (self.folder / name).write_bytes(body)
        self.run_command("transform", "m.conflux", "moons.csv", "-o", "command.csv")
        self.assertEqual(self.read("page.csv"), self.read("command.csv"))
        # The command that is shown gives the same; only the table has to have its name.
        os.rename(self.folder / "moons.csv", self.folder / "my moons.csv")
        self.assertTrue(result["command"].startswith("conflux align 'my moons.csv' --group group"))
        self.run_command("align", "my moons.csv", "--group", "group", "-o", "aligned.csv",
                         "--model", "aligned.conflux", "--report", "report.html")
        self.assertEqual(self.read("page.csv"), self.read("aligned.csv"))
        self.assertEqual(self.read("r.html"), self.read("report.html"))

    def test_rows_are_shown_on_their_way_and_as_every_group(self):
        server = self.serve_moons()
        server.post("/api/align", group="group")
        number = server.wait()["results"][0]["number"]
        rows = json.loads(server.ask("GET", f"/api/result/{number}/rows")[1])
        self.assertLessEqual(len(rows["places"]), 20)
        self.assertEqual(len(rows["places"]), len(rows["layers"]))
        self.assertEqual(rows["layers"], sorted(set(rows["layers"])))
        (self.folder / "a.csv").write_bytes(server.ask("GET", f"/api/result/{number}/aligned")[1])
        aligned = np.loadtxt(self.folder / "a.csv", delimiter=",", skiprows=1)
        before = np.loadtxt(self.folder / "moons.csv", delimiter=",", skiprows=1)
        for table, frame in ((before, rows["places"][0]), (aligned, rows["places"][-1])):
            for i, (group, position) in enumerate(zip(rows["group_of"], rows["position_of"])):
                row = table[table[:, 2] == group][position]
                np.testing.assert_allclose(frame[2 * i:2 * i + 2], row[:2], atol=1e-4)
        (self.folder / "m.conflux").write_bytes(server.ask("GET", f"/api/result/{number}/model")[1])
        self.run_command("translate", "m.conflux", "moons.csv", "--to", "1", "-o", "as1.csv")
        as_one = np.loadtxt(self.folder / "as1.csv", delimiter=",", skiprows=1)
        shown = rows["elsewhere"]
        for k, row in enumerate(shown["rows"]):
            if rows["group_of"][row] != 0:
                continue
            there = as_one[before[:, 2] == 0][rows["position_of"][row]]
            for j, feature in enumerate(shown["features"]):
                self.assertAlmostEqual(float(shown["values"][k][1][j]), there["xy".index(feature)], 3)

    def test_a_second_fit_is_refused_and_the_first_can_be_stopped(self):
        server = self.serve_moons(4000)
        server.post("/api/align", group="group")
        for path in ("/api/align", "/api/check"):
            status, body = server.post(path, group="group")
            self.assertEqual(status, 409)
            self.assertIn("runs already", json.loads(body)["error"])
        self.assertEqual(server.send_table("x,group\n1,a\n")[0], 409)
        while not (server.state()["job"]["last"] or {}).get("layers"):
            time.sleep(0.02)
        began = time.monotonic()
        self.assertEqual(server.post("/api/stop")[0], 202)
        state = server.wait()
        self.assertLess(time.monotonic() - began, 7)
        self.assertIn("stopped", state["job"]["error"])
        self.assertEqual(state["results"], [])
        # The page goes on, and the next fit can start.
        self.assertEqual(server.post("/api/check", group="group")[0], 202)
        self.assertTrue(server.wait()["check"]["differ"])

    def test_a_closed_page_does_not_end_the_fit(self):
        server = self.serve_moons()
        server.post("/api/align", group="group")
        with socket.create_connection(("127.0.0.1", server.port)) as page:
            page.sendall(server.head("GET", "/api/state"))
        self.assertEqual(len(server.wait()["results"]), 1)

    def test_the_last_two_results_are_kept(self):
        server = self.serve_moons(60)
        numbers = []
        for label in range(3):
            server.post("/api/align", group="group", to=str(label) if label < 2 else "")
            numbers.append(server.wait()["results"][-1]["number"])
        self.assertEqual([each["number"] for each in server.state()["results"]], numbers[1:])
        self.assertEqual(server.ask("GET", f"/api/result/{numbers[0]}/model")[0], 404)
        self.assertEqual(len(list(server.folder.iterdir())), 2)

    def test_names_can_do_nothing(self):
        evil = "<img src=x onerror=alert(1)>"
        random = np.random.default_rng(0)
        lines = ["x,y,--force"]
        for i in range(200):
            x, y = random.normal(size=2)
            lines.append(f"{x + 2 * (i % 2)!r},{y!r},{(evil, '../../b')[i % 2]}")
        server = self.serve()
        server.send_table("\n".join(lines) + "\n", "../../-o <b>.csv")
        state = server.wait()
        self.assertEqual(state["table"]["name"], "-o <b>.csv")
        self.assertEqual(server.post("/api/align", group="--force", to=evil)[0], 202)
        state = server.wait()
        self.assertEqual(state["job"]["error"], "")
        number = state["results"][0]["number"]
        report = server.ask("GET", f"/api/result/{number}/report")[1].decode()
        self.assertNotIn("<img", report)
        self.assertNotIn("conflux-serve-", report)
        self.assertEqual(sorted(p.name for p in (self.folder / "tmp").iterdir()), [server.folder.name])

    def test_mistakes_are_sentences(self):
        server = self.serve()
        self.assertIn("drop one first", server.post("/api/align", group="g")[1].decode())
        server.send_table("x,group\n1,a\noops,b\n2,b\n3,a\n", "my.csv")
        server.wait()
        for words, sentence in (({}, "choose the column"), ({"group": "no"}, "no column"),
                                ({"group": 3}, "must be a text")):
            status, body = server.post("/api/align", **words)
            self.assertEqual(status, 400)
            self.assertIn(sentence, json.loads(body)["error"])
        server.post("/api/align", group="group")
        error = server.wait()["job"]["error"]
        self.assertNotEqual(error, "")
        self.assertNotIn("conflux-serve-", error)
        server.send_table(b"\x00\x01\x02", "picture.xyz")
        self.assertNotEqual(server.wait()["job"]["error"], "")


class NothingIsLeft(ServeTest):

    def test_uploads_are_private_and_go_with_the_server(self):
        for signal_number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            server = self.serve()
            self.make_moons(4000)
            server.send_table(self.read("moons.csv"))
            self.assertEqual(stat.S_IMODE(server.folder.stat().st_mode), 0o700)
            server.wait()
            server.post("/api/align", group="group")
            while not server.children():
                time.sleep(0.02)
            children = server.children()
            code, said = server.end(signal_number)
            self.assertEqual((code, said), (0, "ended; uploads and results on the page are removed.\n"))
            self.assertEqual(list((self.folder / "tmp").iterdir()), [])
            for child in children:
                self.assertFalse(os.path.exists(f"/proc/{child}"))

    def test_work_does_not_outlive_a_server_that_is_killed(self):
        server = self.serve_moons(4000)
        server.post("/api/align", group="group")
        while not server.children():
            time.sleep(0.02)
        children = server.children()
        server.end(signal.SIGKILL)
        until = time.monotonic() + 5
        while any(os.path.exists(f"/proc/{child}") for child in children):
            self.assertLess(time.monotonic(), until)
            time.sleep(0.05)

    def test_half_an_upload_is_removed(self):
        server = self.serve()
        with socket.create_connection(("127.0.0.1", server.port)) as page:
            page.sendall(server.head("POST", "/api/table", Content_Length=10**9) + b"x,group\n1,a\n")
            while not list(server.folder.iterdir()):
                time.sleep(0.01)
        while list(server.folder.iterdir()):
            time.sleep(0.01)
        self.assertIsNone(server.state()["table"])

    def test_too_large_uploads_are_refused_before_they_are_sent(self):
        server = self.serve("--max-upload", "1M")
        self.assertEqual(server.state()["most_upload"], 10**6)
        answer = server.raw(server.head("POST", "/api/table", Content_Length=10**6 + 1))
        self.assertIn(b"HTTP/1.1 413", answer)
        self.assertIn(b"--max-upload", answer)
        server.raw(server.head("POST", "/api/table", Content_Length=10**6 + 1) + b"x" * 10**6)
        self.assertEqual(list(server.folder.iterdir()), [])
        self.assertEqual(server.ask("POST", "/api/table", b"x" * 10**6)[0], 202)

    def test_a_packed_bomb_ends_with_a_sentence(self):
        server = self.serve("--max-memory", "100M")
        packed = gzip.compress(b"x,group\n" + b"1" * 10_000_000, 9)[:-8]
        # One line without an end that unpacks to gigabytes.
        body = gzip.compress(b"x,group\n", 9) + gzip.compress(b"1" * 100_000_000, 9) * 20
        self.assertLess(len(body), 3e6)
        for name, data in (("bomb.csv.gz", body), ("cut.csv.gz", packed)):
            server.send_table(data, name)
            state = server.wait()
            self.assertNotEqual(state["job"]["error"], "", name)

    def test_it_ends_when_nobody_asks(self):
        server = self.serve("--idle", 1)
        server.process.wait(timeout=20)
        self.assertEqual(server.end()[0], 0)
        self.assertEqual(list((self.folder / "tmp").iterdir()), [])

    def test_a_table_of_the_command_line_is_not_touched(self):
        server = self.serve_moons()
        self.assertEqual(server.state()["table"]["name"], "moons.csv")
        server.send_table("x,group\n1,a\n2,b\n")
        server.wait()
        server.end()
        self.assertTrue((self.folder / "moons.csv").exists())
        done = self.call("serve", "none.csv")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("none.csv does not exist", done.stderr)


if __name__ == "__main__":
    unittest.main()
