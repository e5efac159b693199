// The kinds of layers that a fit can be made of: one row of a table each.
//
// A kind has one file, which fits its layers, gives them maps of a new group and warns of groups
// that do not suit it. Nothing else knows which kinds there are: the training loop looks up what
// the methods (options/methods.h) name. Model files have a table of their own, by the names
// that layers have (storage/layer_codecs.h).

#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conflux/comm/communicator.h"
#include "conflux/core/group_set.h"
#include "conflux/core/parallel.h"
#include "conflux/flow/layer.h"
#include "conflux/options/options.h"
#include "fitting/latent.h"
#include "fitting/line_maps.h"
#include "fitting/row_choice.h"
#include "slicing/work.h"

namespace conflux {

using LayerPointer = std::shared_ptr<const Layer>;

/// Input of a fitter.
struct FitInput {
  /// The groups as the layers so far have left them.
  Latent& latent;
  /// Rows to learn from, and where they stand among those of all processes.
  const RowChoice& usable;
  const RowPlaces& places;
  /// Resolved.
  const FitOptions& options;
  Communicator& comm;
  const Workers& workers;

  /// With rows where the layers so far have left them.
  const GroupSet& groups() const { return latent.groups(); }
  /// Names and masses of the groups, whose rows need not have moved yet.
  const GroupSet& given() const { return latent.given(); }
};

/// A candidate for the next place in a flow: fitted, but not yet applied.
struct Fitted {
  /// The layer type that was fitted.
  std::string_view kind = {};
  /// One layer, or the few of a stage; none when the kind has nothing to offer here.
  std::vector<LayerPointer> layers = {};
  /// Spread during the search for directions; see LayerRecord.
  double spread_at_start = 0;
  double spread_before = 0;
  Index steps = 0;
  Index evaluations = 0;
  Index passes = 0;
  Work work = {};
  /// Moves the groups by the layers. Empty when the fitter had to do so itself: a kind whose layers
  /// build on each other within a stage cannot be a candidate among others.
  std::function<void(Latent&, Work&)> move = {};
  /// Returns the spread after the groups have moved; empty for layers without a search.
  std::function<double()> spread_after = {};

  explicit operator bool() const { return !layers.empty(); }
};

/// A candidate without a search.
Fitted plain_layer(LayerPointer layer, const Workers& workers);

/// Fits the layers of one kind in one fit.
class LayerFitter {
 public:
  virtual ~LayerFitter() = default;
  /// A candidate for layer number `layer` of the fit.
  virtual Fitted fit(const FitInput& input, Index layer, double strength) = 0;
  /// A layer that all groups pass after the last one; null for most layer types.
  virtual LayerPointer closing(const FitInput&) const { return nullptr; }
};

/// A group that joins after the fit.
struct NewGroup {
  /// The only group, as the layers before have left it.
  const GroupSet& group;
  const RowChoice& chosen;
  /// Place of the layer in its flow.
  Index place = 0;
  double strength = 1;
  const FitOptions& options;
  const Workers& workers;
};

struct LayerKind {
  std::string_view name;
  /// Looks at the groups before the first layer and keeps what all layers of the kind need.
  std::unique_ptr<LayerFitter> (*start)(const FitInput& input);
  /// The layer with a map of one more group; null when the kind does not know its barycenter.
  LayerPointer (*widen)(const LayerPointer& layer, const NewGroup& group);
  /// Layers of number `layer` of a fit; null: one.
  Index (*stage_size)(const FitOptions& options, Index layer) = nullptr;
  /// Moves groups by a layer of an earlier fit, to the bits of that fit; null: Latent::move().
  void (*repeat)(const Layer& layer, Latent& latent, const Workers& workers) = nullptr;
  /// How far rows that the layer has not seen differ between the groups where it is about to move
  /// them: what chance does not explain, in deviations of chance. Null: no such law is known.
  double (*excess)(const Layer& layer, const GroupSet& groups, const RowChoice& unseen,
                   Communicator& comm) = nullptr;
  /// Adds sentences about groups that do not suit the kind; null: all do.
  void (*warn)(const GroupSet& groups, const std::vector<Index>& sizes, const FitOptions& options,
               std::vector<std::string>& warnings) = nullptr;
  /// Bytes that all its layers and their fit need beside the rows, for resolved options; null: few.
  double (*memory)(const DataShape& data, const FitOptions& options) = nullptr;
  /// Names of the layers that it makes; empty: its own.
  std::vector<std::string_view> makes = {};
};

/// All kinds.
const std::vector<LayerKind>& layer_kinds();
/// Null when there is none of that name.
const LayerKind* find_layer_kind(std::string_view name);
/// Throws Error when there is none of that name.
const LayerKind& layer_kind(std::string_view name);

/// How far layers of a kind move: what options say is about the main kind of the method, the others
/// move all the way.
double strength_of(std::string_view kind, const FitOptions& options);

/// The rows of the table, each in the file of its kind.
LayerKind sliced_kind();
LayerKind gated_kind();
LayerKind coordinate_kind();
LayerKind location_scale_kind();
LayerKind affine_kind();
LayerKind tree_kind();
LayerKind conditional_kind();
LayerKind destructor_kind();

}  // namespace conflux
