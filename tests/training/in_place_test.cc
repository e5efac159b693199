// All rows are fitted where they are, on several processes: bits, and what processes exchange.

#include <gtest/gtest.h>

#include "conflux/toys/toy.h"
#include "conflux/training/fit.h"
#include "core/take_rows.h"
#include "options/methods.h"
#include "options/option_table.h"
#include "tests/support/counting_communicator.h"
#include "tests/support/thread_communicator.h"
#include "training/row_free.h"

namespace conflux {
namespace in_place_test {

// Cuts anywhere; if there are three processes, the first has no row of the first group.
GroupSet part_of(const GroupSet& groups, Index rank, Index size) {
  std::vector<std::vector<Index>> rows;
  for (Index m = 0; m < groups.num_groups(); ++m) {
    const Index count = groups[m].rows.rows();
    const auto cut = [&](Index r) {
      if (r == size) return count;
      return m == 0 && size == 3 && r == 1 ? 0 : count * r * r / (size * size);
    };
    auto& own = rows.emplace_back();
    for (Index i = cut(rank); i < cut(rank + 1); ++i) own.push_back(i);
  }
  return take_rows(groups, rows);
}

FitOptions options_of(Method method) {
  FitOptions options;
  options.method = method;
  options.gate = Gating::kNone;
  options.threads = 1;
  options.fit_rows = RowLimit();
  options.layers = method_info(method).one_layer() ? 1 : 4;
  return without_ignored(options);
}

GroupSet some_groups(bool single, bool weighted) {
  const GroupSet doubles = make_gaussian_groups(3, 5, 700, 4);
  GroupSet out;
  for (Index m = 0; m < 3; ++m) {
    std::vector<double> masses;
    for (Index i = 0; weighted && i < 700; ++i) masses.push_back(static_cast<double>((i + m) % 3));
    Matrix rows = doubles[m].rows.to_matrix();
    if (single) {
      out.add(doubles[m].name, SingleMatrix(rows.cast<float>()), std::move(masses));
    } else {
      out.add(doubles[m].name, std::move(rows), std::move(masses));
    }
  }
  return out;
}

void expect_bits_of_one(const GroupSet& groups, const FitOptions& options) {
  const Fit one = fit_flow(groups, options);
  for (const Index size : {2, 3, 4}) {
    SCOPED_TRACE(std::string(name_of(options.method)) + ", " + std::to_string(size) + " processes");
    run_ranks(size, [&](Communicator& comm) {
      const Fit fit = fit_flow(part_of(groups, comm.rank(), size), options, comm, {});
      EXPECT_EQ(fit.record.group_sizes, one.record.group_sizes);
      for (Index m = 0; m < 3; ++m) {
        EXPECT_EQ(fit.flow.forward(m, groups[m].rows.to_matrix(), Workers(1)),
                  one.flow.forward(m, groups[m].rows.to_matrix(), Workers(1)));
      }
    });
  }
}

// The law of processes, for all rows: those that stay where they are, and those that are gathered
// because the method wants to see them together.
TEST(InPlace, ProcessesHaveTheBitsOfOne) {
  const GroupSet groups = some_groups(false, false);
  for (const Method method :
       {Method::kInb, Method::kNb, Method::kGb, Method::kRandNb, Method::kNbInb, Method::kGbInb,
        Method::kSinf, Method::kTree, Method::kDd}) {
    expect_bits_of_one(groups, options_of(method));
  }
}

TEST(InPlace, MassesPrecisionAndSplitsDoNotMatter) {
  for (const bool single : {false, true}) {
    for (const bool weighted : {false, true}) {
      FitOptions options = options_of(Method::kInb);
      options.validation_fraction = single ? 0.1 : 0.0;
      options.search_rows = 150;
      options.split = weighted ? Split::kRandomHalf : Split::kNone;
      expect_bits_of_one(some_groups(single, weighted), options);
    }
  }
}

struct Traffic {
  double exchanges;
  double received;  // of the process that gets most
};

// By the difference of two numbers of layers: of one layer.
using Cut = GroupSet (*)(const GroupSet& groups, Index rank, Index size);
Traffic traffic_of_layer(const GroupSet& groups, FitOptions options, Index size,
                         Cut cut = part_of) {
  std::vector<Traffic> counted;
  for (const Index layers : {2, 6}) {
    options.layers = layers;
    std::vector<Index> exchanges(static_cast<std::size_t>(size)), received(exchanges.size());
    run_ranks(size, [&](Communicator& comm) {
      CountingCommunicator counting(comm);
      fit_flow(cut(groups, comm.rank(), size), options, counting,
               [](const LayerRecord&) { return true; });
      exchanges[comm.rank()] = counting.exchanges;
      received[comm.rank()] = counting.received;
    });
    counted.push_back({static_cast<double>(exchanges[0]),
                       static_cast<double>(*std::max_element(received.begin(), received.end()))});
  }
  return {(counted[1].exchanges - counted[0].exchanges) / 4,
          (counted[1].received - counted[0].received) / 4};
}

TEST(InPlace, TrafficDoesNotGrowWithProcesses) {
  const GroupSet groups = make_gaussian_groups(3, 8, 4000, 4);
  FitOptions options = options_of(Method::kInb);
  options.validation_fraction = 0.1;
  const Traffic two = traffic_of_layer(groups, options, 2);
  const Traffic many = traffic_of_layer(groups, options, 16);
  EXPECT_LE(many.exchanges, 8);
  EXPECT_EQ(many.exchanges, two.exchanges);
  EXPECT_LE(many.received, 1.2 * two.received);
}

// Once processes made as many exchanges as their own rows asked for, and those of 375,000 and
// 125,000 rows waited for each other for ever.
TEST(InPlace, AnUnevenCutExchangesAsOftenAsAnEvenOne) {
  const GroupSet groups = make_gaussian_groups(3, 8, 4000, 4);
  const FitOptions options = options_of(Method::kInb);
  const auto even_part = [](const GroupSet& all, Index rank, Index size) {
    std::vector<std::vector<Index>> rows(static_cast<std::size_t>(all.num_groups()));
    for (Index m = 0; m < all.num_groups(); ++m) {
      for (Index i = 0; i < all[m].rows.rows(); ++i) {
        if (i * size / all[m].rows.rows() == rank) rows[m].push_back(i);
      }
    }
    return take_rows(all, rows);
  };
  const Traffic even = traffic_of_layer(groups, options, 2, even_part);
  const Traffic uneven = traffic_of_layer(groups, options, 2);  // a quarter, and three
  EXPECT_EQ(uneven.exchanges, even.exchanges);
  // The small part sorts half of the lines, and gets three quarters of their values for a half.
  EXPECT_LE(uneven.received, 1.5 * even.received);
}

// Numbers that a site gets in an exchange, by the difference of two numbers of layers.
double received_by_sites(Index sites) {
  const GroupSet groups = make_gaussian_groups(sites, 4, 300, 5);
  FitOptions options = options_of(Method::kInb);
  options.knots = 20;
  options.validation_fraction.reset();
  double exchanges = 0, received = 0;
  for (const Index layers : {4, 12}) {
    options.layers = layers;
    run_ranks(sites, [&](Communicator& comm) {
      GroupSet mine;
      mine.add(groups[comm.rank()].name, groups[comm.rank()].rows.to_matrix());
      CountingCommunicator counting(comm);
      fit_row_free(std::move(mine), options, counting);
      if (comm.rank() > 0) return;
      exchanges = static_cast<double>(counting.exchanges) - exchanges;
      received = static_cast<double>(counting.received) - received;
    });
  }
  return received / exchanges;
}

// Sites that keep their rows exchange something in every step of a search, but no more with more
// sites.
TEST(InPlace, SitesExchangeAsMuchHoweverManyTheyAre) {
  EXPECT_LE(received_by_sites(8), 1.2 * received_by_sites(2));
}

}  // namespace in_place_test
}  // namespace conflux
