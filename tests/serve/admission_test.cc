#include "serve/admission.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace admission_test {

using namespace conflux::app;

const AdmissionRules kRules{.port = 4711,
                            .token = std::string(64, 'a'),
                            .most_bytes_of_upload = 1000,
                            .open_paths = {"/", "/page.js"}};

RequestHead good_post(const std::string& path = "/api/check", const std::string& length = "2") {
  return {.method = "POST",
          .path = path,
          .headers = {{"Host", "127.0.0.1:4711"},
                      {"Origin", "http://127.0.0.1:4711"},
                      {"X-Conflux-Token", kRules.token},
                      {"Content-Length", length}}};
}

int status(const RequestHead& head) {
  const auto refusal = refuse(head, kRules);
  return refusal ? refusal->status : 200;
}

TEST(Admission, LetsOurOwnPageIn) {
  EXPECT_EQ(status(good_post()), 200);
  EXPECT_EQ(status(good_post("/api/table", "1000")), 200);
  RequestHead page{.method = "GET", .path = "/", .headers = {{"hOsT", "localhost:4711"}}};
  EXPECT_EQ(status(page), 200);
}

// Each header decides: what is admitted is refused without any one of them, and with any one twice,
// because two readers of a head may believe different ones.
TEST(Admission, NeedsEveryHeaderExactlyOnce) {
  const RequestHead good = good_post();
  for (std::size_t i = 0; i < good.headers.size(); ++i) {
    RequestHead without = good, twice = good;
    without.headers.erase(without.headers.begin() + static_cast<std::ptrdiff_t>(i));
    twice.headers.push_back(good.headers[i]);
    EXPECT_GE(status(without), 400) << good.headers[i].first;
    EXPECT_GE(status(twice), 400) << good.headers[i].first;
  }
}

TEST(Admission, CountsBytesBeforeTheyCome) {
  EXPECT_EQ(status(good_post("/api/table", "1001")), 413);
  EXPECT_EQ(status(good_post("/api/check", "65537")), 413);
  for (const char* length : {"", "-1", "+1", "1 ", "0x10", "1e2", "99999999999999999999"}) {
    EXPECT_EQ(status(good_post("/api/check", length)), 411) << length;
  }
  RequestHead chunks = good_post();
  chunks.headers.emplace_back("transfer-encoding", "identity");
  EXPECT_EQ(status(chunks), 411);
}

// Whatever a head is made of, it is admitted to more than the open page only with the whole token,
// the right name and, to change something, the right origin.
RC_GTEST_PROP(Admission, NothingPassesWithoutTokenHostAndOrigin, ()) {
  const auto word = rc::gen::element<std::string>(
      "Host", "Origin", "X-Conflux-Token", "Content-Length", "Transfer-Encoding", "127.0.0.1:4711",
      "localhost:4711", "http://127.0.0.1:4711", "http://localhost:4711", kRules.token, "2", "",
      "evil.example", "null");
  RequestHead head{.method = *rc::gen::element<std::string>("GET", "POST", "PUT"),
                   .path = *rc::gen::element<std::string>("/", "/api/check", "/api/table", "/x")};
  head.headers = *rc::gen::container<decltype(head.headers)>(rc::gen::pair(word, word));
  if (status(head) != 200) return;
  const std::string host = head.header("Host").value_or("");
  RC_ASSERT(host == "127.0.0.1:4711" || host == "localhost:4711");
  RC_ASSERT(head.count("Transfer-Encoding") == 0u);
  if (head.method == "GET" && head.path == "/") return;
  RC_ASSERT(head.header("X-Conflux-Token") == kRules.token);
  if (head.method == "POST") RC_ASSERT(head.header("Origin") == "http://" + host);
}

TEST(Admission, SecretsAreComparedToTheEnd) {
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_FALSE(same_secret("abc", "abd"));
  EXPECT_FALSE(same_secret("xbc", "abc"));
  EXPECT_FALSE(same_secret("abc", "abcd"));
  EXPECT_FALSE(same_secret("", "a"));
  // A server without a secret lets nobody in.
  AdmissionRules without = kRules;
  without.token.clear();
  RequestHead head = good_post();
  head.headers[2].second.clear();
  EXPECT_TRUE(refuse(head, without));
}

}  // namespace admission_test
