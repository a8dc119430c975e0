#include "problems/core/instruction_set.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "problems/core/error.hpp"

namespace alidade {
namespace {

InstructionSet supported() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd"))
    return InstructionSet::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    return InstructionSet::avx2;
#endif
  return InstructionSet::baseline;
}

InstructionSet allowed() {
  const char* const value = std::getenv("ALIDADE_INSTRUCTION_SET");
  const std::string_view name = value ? value : "";
  if (name.empty() || name == "avx512") return InstructionSet::avx512;
  if (name == "avx2") return InstructionSet::avx2;
  require<ConfigError>(name == "baseline",
                       "The environment variable ALIDADE_INSTRUCTION_SET is '{}'. Give baseline, avx2 or avx512.",
                       name);
  return InstructionSet::baseline;
}

}  // namespace

InstructionSet best_instruction_set() {
  static const InstructionSet kBest = std::min(supported(), allowed());
  return kBest;
}

}  // namespace alidade
