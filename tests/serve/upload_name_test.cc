#include "serve/upload_name.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace upload_name_test {

using namespace conflux::app;

TEST(UploadName, IsReadBehindPercentSignsAndWithoutFolders) {
  EXPECT_EQ(uploaded_name("my%20cells.csv"), "my cells.csv");
  EXPECT_EQ(uploaded_name("..%2F..%2Fetc%2Fpasswd"), "passwd");
  EXPECT_EQ(uploaded_name("C:%5Ctables%5Ca.csv"), "a.csv");
  EXPECT_EQ(uploaded_name("a%0d%0aX: y.csv"), "a__X: y.csv");
  EXPECT_EQ(uploaded_name("50%.csv"), "50%.csv");
  EXPECT_EQ(uploaded_name("%zz%4"), "%zz%4");
  EXPECT_EQ(uploaded_name("%e4%b8%ad.csv"), "\xe4\xb8\xad.csv");
  EXPECT_EQ(uploaded_name(""), "table.csv");
}

TEST(UploadName, EndingsTellTheFormat) {
  EXPECT_EQ(ending_of("a.csv"), ".csv");
  EXPECT_EQ(ending_of("A.CSV.GZ"), ".csv.gz");
  EXPECT_EQ(ending_of("cells.2024.csv.gz"), ".csv.gz");
  EXPECT_EQ(ending_of("no ending"), "");
  EXPECT_EQ(ending_of("a..csv"), ".csv");
  EXPECT_EQ(ending_of("a.b/c"), "");
}

// An ending becomes part of a path, so nothing in it may be special there.
RC_GTEST_PROP(UploadName, EndingsAreHarmless, (const std::string& name)) {
  const std::string ending = ending_of(uploaded_name(name));
  RC_ASSERT(ending.size() <= 18u);
  RC_ASSERT(ending.find("..") == std::string::npos);
  RC_ASSERT(std::all_of(ending.begin(), ending.end(), [](char c) {
    return c == '.' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  }));
}

}  // namespace upload_name_test
