// The main program of all tests. Under ThreadSanitizer only those cases run whose names have "thread" in them (see
// CMakeLists.txt), so that it fails where another case of the libraries starts a thread. After a failure it says what a
// reader of the log alone needs to repeat it.

#define DOCTEST_CONFIG_IMPLEMENT
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "problems/core/instruction_set.hpp"

namespace {

std::atomic<int> threads_started = 0;
int cases_misnamed = 0;

class ThreadNames : public doctest::IReporter {
 public:
  explicit ThreadNames(const doctest::ContextOptions&) {}

  void test_case_start(const doctest::TestCaseData& test) override {
    test_ = &test;
    started_before_ = threads_started;
  }
  void test_case_end(const doctest::CurrentTestCaseStats&) override {
    const std::string_view file = test_->m_file.c_str();
    const bool of_libraries = file.find("/tests/problems/") != file.npos || file.find("/tests/solvers/") != file.npos;
    if (!of_libraries || threads_started == started_before_ ||
        std::string_view(test_->m_name).find("thread") != std::string_view::npos)
      return;
    ++cases_misnamed;
    std::printf("%s:%u: \"%s\" starts threads: have \"thread\" in its name, so that it runs under ThreadSanitizer\n",
                test_->m_file.c_str(), test_->m_line, test_->m_name);
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

 private:
  const doctest::TestCaseData* test_ = nullptr;
  int started_before_ = 0;
};

REGISTER_LISTENER("thread names", 1, ThreadNames);

std::string first_line_with(const char* path, std::string_view start) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(start)) return line;
  return "unknown";
}

/// The command, with what chooses the code of kernels before it and each argument in quotes, and the machine.
void say_how_it_ran() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string words(std::istreambuf_iterator<char>(file), {});
  if (!words.empty() && words.back() == '\0') words.pop_back();
  for (std::size_t at = 0; (at = words.find('\0', at)) != words.npos; at += 3) words.replace(at, 1, "' '");
  std::printf("Repeat it by: ");
  for (const char* name : {"ALIDADE_INSTRUCTION_SET", "OPENBLAS_CORETYPE"})
    if (const char* const value = std::getenv(name)) std::printf("%s=%s ", name, value);
  std::printf("'%s'\nLoad of the machine: %s; %s; kernels' registers have %d bytes\n", words.c_str(),
              first_line_with("/proc/loadavg", "").c_str(), first_line_with("/proc/cpuinfo", "model name").c_str(),
              static_cast<int>(alidade::best_instruction_set()));
}

}  // namespace

#ifndef ALIDADE_SANITIZED
// Counts, then does what it always does. Sanitizers have one of their own.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                              void* argument) {
  static const auto create = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  ++threads_started;
  return create(thread, attributes, start, argument);
}
#endif

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  const int failed = context.run();
  if (failed != 0) say_how_it_ran();
  return cases_misnamed > 0 ? 1 : failed;
}
