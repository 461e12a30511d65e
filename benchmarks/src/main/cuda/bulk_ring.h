// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform.h"

namespace symshuffle {

/// A piece in one stage.
struct BulkPiece {
  uint64_t destination;
  uint32_t bytes;
  uint32_t pe;  // the other PE
};

/// A ring of stages through which one thread copies pieces from global memory to global memory, with
/// asynchronous bulk copies. Step i starts the load of piece i into stage i % kStages and the store of piece
/// i - kLag out of its stage. So up to kLag loads and kStages - kLag stores are in flight.
///
/// Engine does the copies, in the order in which they are started:
///   start_load(stage, source, bytes)       a stage's loads are counted in rounds, from 0
///   bool wait_for_load(stage, round, pe)   until it is complete; false (and a report) after a timeout
///   start_store(stage, destination, bytes)
///   wait_for_stage<n>()                    until all stores but the last n have left their stages
///   wait_for_stores()                      until all stores are done
template <uint32_t kStages, uint32_t kLag, class Engine>
class BulkRing {
 public:
  static_assert(0 < kLag && kLag < kStages);

  /// `pieces`: kStages of them, in shared memory.
  SYM_FN BulkRing(const Engine& engine, BulkPiece* pieces) : engine_(engine), pieces_(pieces) {}

  /// Copies one piece of no more bytes than a stage holds, some time before finish() returns. False if an
  /// earlier piece timed out; the ring must not be used then.
  SYM_FN bool copy(uint64_t source, const BulkPiece& piece) {
    if (loads_ >= kStages) {
      // Stores up to loads_ - kLag - 1 are started; that of the stage's last piece, loads_ - kStages, must
      // have left its stage.
      engine_.template wait_for_stage<kStages - kLag - 1>();
    }
    const uint32_t stage = loads_ % kStages;
    pieces_[stage] = piece;
    engine_.start_load(stage, source, piece.bytes);
    ++loads_;
    return loads_ <= kLag || store_next();
  }

  /// Waits for all. False as above.
  SYM_FN bool finish() {
    while (stores_ < loads_) {
      if (!store_next()) {
        return false;
      }
    }
    engine_.wait_for_stores();
    return true;
  }

 private:
  SYM_FN bool store_next() {
    const uint32_t stage = stores_ % kStages;
    const BulkPiece piece = pieces_[stage];
    if (!engine_.wait_for_load(stage, stores_ / kStages, piece.pe)) {
      return false;
    }
    engine_.start_store(stage, piece.destination, piece.bytes);
    ++stores_;
    return true;
  }

  Engine engine_;
  BulkPiece* pieces_;
  uint32_t loads_ = 0;   // started
  uint32_t stores_ = 0;  // started
};

}  // namespace symshuffle
