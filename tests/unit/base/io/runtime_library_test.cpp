#include "base/io/runtime_library.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace glyphreel::runtime_library_test {
namespace {

TEST(RuntimeLibrary, FindsItsFunctions) {
  const RuntimeLibrary library("libm.so.6");
  double (*square_root)(double) = nullptr;
  ASSERT_TRUE(library.find(square_root, "sqrt"));
  EXPECT_EQ(square_root(9), 3);
}

TEST(RuntimeLibrary, MissingFunctionIsNull) {
  const RuntimeLibrary library("libm.so.6");
  double (*function)(double) = [](double x) { return x; };
  EXPECT_FALSE(library.find(function, "no_such_function"));
  EXPECT_EQ(function, nullptr);
}

TEST(RuntimeLibrary, MissingLibraryHasNoFunctions) {
  const RuntimeLibrary library("libno-such-library.so.1");
  void* (*function)(std::size_t) = nullptr;
  EXPECT_FALSE(library.find(function, "malloc"));  // the program has malloc, but this library does not
}

}  // namespace
}  // namespace glyphreel::runtime_library_test
