// The figures of a judgement in sentences: what they mean, what is bad, what to do.

#pragma once

#include "conflux/judging/judgement.h"

namespace conflux {

/// Fills in `verdict`, `sentences` and `warnings`; label_of tells which label each row has of those
/// that LISI looked at.
void pronounce(Judgement& judgement, const Alignment& alignment,
               const std::vector<Index>& label_of);

}  // namespace conflux
