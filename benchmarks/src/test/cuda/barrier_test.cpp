// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <vector>

#include "barrier.cu"
#include "check.h"
#include "emulation.h"

namespace symshuffle::test {
namespace {

using emulation::EmulatedThread;
using emulation::Launch;
using emulation::Machine;
using Thread = EmulatedThread<4>;

constexpr uint64_t kSecond = 1'000'000'000;

uint64_t address_of(const void* pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

/// The counters of several PEs, which run one barrier after the other.
struct Team {
  explicit Team(uint32_t pes) : counters(pes), statuses(pes) {
    for (const auto& counter : counters) {
      addresses.push_back(address_of(&counter));
    }
  }

  BarrierArguments arguments(uint32_t pe, uint64_t round, uint64_t timeout) {
    BarrierArguments a{};
    a.counters = address_of(addresses.data());
    a.status = address_of(&statuses[pe]);
    a.timeout_nanoseconds = timeout;
    a.round = round;
    a.pe_count = static_cast<uint32_t>(counters.size());
    a.pe = pe;
    return a;
  }

  std::vector<uint64_t> counters;
  std::vector<uint64_t> addresses;
  std::vector<KernelStatus> statuses;
};

TEST("no PE leaves a barrier before all have arrived", random) {
  for (const uint32_t pes : {1U, 2U, 3U, 5U, 8U, 70U}) {
    Team team(pes);
    const uint32_t threads = 4 * static_cast<uint32_t>(1 + below(random, 3));
    constexpr uint64_t kRounds = 6;
    std::vector<uint64_t> entered(pes);
    Machine machine(random());
    std::vector<std::unique_ptr<Launch<4>>> launches;
    for (uint32_t pe = 0; pe < pes; ++pe) {
      launches.push_back(
          std::make_unique<Launch<4>>(machine, 1, threads, 0, [&, pe](const Thread& t, unsigned char*) {
            for (uint64_t round = 1; round <= kRounds; ++round) {
              t.pause((pe * 37 + 11) % 13 * 100);
              entered[pe] = round;
              barrier(t, team.arguments(pe, round, kSecond / 10));
              t.sync_cta();  // the end of the kernel
              for (uint32_t other = 0; other < pes; ++other) {
                CHECK(entered[other] >= round, pe, other, round, entered[other]);
              }
            }
          }));
    }
    machine.run();
    for (const KernelStatus& s : team.statuses) {
      CHECK(s.code == 0, s.code, s.pe, s.peer);
    }
  }
}

TEST("a barrier names the missing PEs at the deadline", random) {
  for (int i = 0; i < 20; ++i) {
    const auto pes = static_cast<uint32_t>(2 + below(random, 7));
    const auto absent = static_cast<uint32_t>(below(random, pes));
    Team team(pes);
    Machine machine(random());
    std::vector<std::unique_ptr<Launch<4>>> launches;
    for (uint32_t pe = 0; pe < pes; ++pe) {
      if (pe != absent) {
        launches.push_back(std::make_unique<Launch<4>>(
            machine, 1, 4, 0,
            [&, pe](const Thread& t, unsigned char*) { barrier(t, team.arguments(pe, 1, 50'000)); }));
      }
    }
    const uint64_t start = machine.now_nanoseconds();
    machine.run();
    CHECK(machine.now_nanoseconds() - start >= 50'000);
    for (uint32_t pe = 0; pe < pes; ++pe) {
      const KernelStatus& s = team.statuses[pe];
      if (pe == absent) {
        continue;
      }
      CHECK(s.code == static_cast<uint32_t>(Code::kTimeout), s.code);
      CHECK(s.pe == pe && s.peer == absent, s.pe, s.peer, absent);
      CHECK(s.missing == 1ULL << absent, s.missing);
      CHECK(s.expected == 1 && s.seen == 0, s.expected, s.seen);
      // Every pause of any thread advances the emulation's clock.
      CHECK(s.waited_nanoseconds >= 50'000 && s.waited_nanoseconds < 100'000, s.waited_nanoseconds);
      CHECK(s.address == team.addresses[absent], s.address);
    }
  }
}

TEST("a barrier of a PE outside the team is rejected", random) {
  Team team(3);
  team.statuses.resize(4);
  emulation::launch<4>(random(), 1, 4, 0,
                       [&](const Thread& t, unsigned char*) { barrier(t, team.arguments(3, 1, kSecond)); });
  CHECK(team.statuses[3].code == static_cast<uint32_t>(Code::kInvalidArgument));
}

}  // namespace
}  // namespace symshuffle::test
