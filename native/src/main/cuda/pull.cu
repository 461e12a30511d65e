// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include "threads.h"
#include "transfer.h"

namespace symshuffle {

/// Copies every piece of the list, mostly from other PEs' memory, to this PE's: one PE's part of a shuffle's
/// all-to-all. A piece may have any alignment and length. The source must have been published before the
/// launch. Any number of PEs may pull concurrently. A shuffle reads by pull although push is faster, since
/// the owner of the data takes no part and need not know who reads what, when and to where.
template <class Thread>
SYM_FN void pull(const Thread& t, const PullArguments& arguments) {
  transfer<Remote::kSource, kCopyRows, LoadOnce>(t, arguments);
}

}  // namespace symshuffle

#if defined(__CUDACC__)
/// Launch: any number of CTAs, kCtaThreads threads or fewer (whole warps), no dynamic shared memory.
extern "C" __global__ void __launch_bounds__(symshuffle::kCtaThreads, 2)
    symshuffle_pull(const __grid_constant__ symshuffle::PullArguments arguments) {
  symshuffle::pull(symshuffle::DeviceThread{}, arguments);
}
#endif
