// A plug-in that ends whoever loads it, in the way and at the time that the variable ALIDADE_FAULT names.
#include <alidade/plugin.hpp>

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace {

void fail_at(const std::string& time) {
  const char* const asked = std::getenv("ALIDADE_FAULT");
  const std::string fault = asked ? asked : "";
  if (fault == time + " abort") std::abort();
  if (fault == time + " segfault") std::raise(SIGSEGV);
  if (fault == time + " exit") ::_exit(0);
  if (fault == time + " wait") ::pause();
  if (fault == time + " throw") throw std::runtime_error("no licence");
  if (fault == time + " throw 7") throw 7;
}

[[gnu::constructor]] void loaded() { fail_at("loading"); }

alidade::Catalogs entries() {
  fail_at("registering");
  return {};
}

}  // namespace

ALIDADE_PLUGIN(.problems = entries().problems);
