#include "codegen/ring_kernels.h"

#include "ir/interpret/ring_form.h"

namespace hone {

Module ring_form(const Module& module) {
  RingForms forms;
  Module result = module;
  const auto give_forms = [&](auto& tensors) {
    for (TensorPtr& tensor : tensors) tensor = forms.of(tensor);
  };
  give_forms(result.arguments);
  give_forms(result.temporaries);
  for (KernelFunction& kernel : result.kernels) {
    give_forms(kernel.arguments);
    kernel.body = forms.of(kernel.body);
    kernel.simplified = {};
  }
  return result;
}

}  // namespace hone
