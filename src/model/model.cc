#include "conflux/model/model.h"

#include <fmt/format.h>

#include "conflux/core/error.h"
#include "options/methods.h"
#include "options/option_table.h"

namespace conflux {

void set_amount(Model& model, double amount) {
  const Method method = model.record.options.method;
  if (amount != 1 && method_info(method).to_uniform) {
    throw InvalidOption(fmt::format(
        "amount is {}, but {} leads every group to the uniform law, of which no part helps; leave "
        "the amount at 1, or fit by another method.",
        amount, name_of(method)));
  }
  model.flow.set_amount(amount);
  model.record.options.amount = amount;
}

}  // namespace conflux
