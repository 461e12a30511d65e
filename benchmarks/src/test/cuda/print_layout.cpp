// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include "lab_layout.cu"
#include "print_layout.h"

// The structs of lab_layout.h.
namespace symshuffle::test {

void print_layout() {
  SYM_STRUCT(PullArguments);
  SYM_FIELD(PullArguments, descriptors);
  SYM_FIELD(PullArguments, status);
  SYM_FIELD(PullArguments, descriptor_count);
  SYM_FIELD(PullArguments, unit_count);
  SYM_FIELD(PullArguments, tile_units);
  SYM_FIELD(PullArguments, spans);
  SYM_FIELD(PullArguments, pe);
  SYM_FIELD(PullArguments, reserved);

  SYM_STRUCT(BarrierArguments);
  SYM_FIELD(BarrierArguments, counters);
  SYM_FIELD(BarrierArguments, status);
  SYM_FIELD(BarrierArguments, timeout_nanoseconds);
  SYM_FIELD(BarrierArguments, round);
  SYM_FIELD(BarrierArguments, pe_count);
  SYM_FIELD(BarrierArguments, pe);

  SYM_STRUCT(SumArguments);
  SYM_FIELD(SumArguments, inputs);
  SYM_FIELD(SumArguments, output);
  SYM_FIELD(SumArguments, status);
  SYM_FIELD(SumArguments, granules);
  SYM_FIELD(SumArguments, input_count);
  SYM_FIELD(SumArguments, pe);
}

}  // namespace symshuffle::test
