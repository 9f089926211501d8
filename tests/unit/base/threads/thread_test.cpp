#include "base/threads/thread.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "base/threads/thread_pool.h"

namespace glyphreel::thread_test {
namespace {

TEST(Thread, RunsBodyWithStopToken) {
  std::atomic<bool> was_stopped = false;
  {
    Result<std::jthread> thread = start_thread("some name", [&](const std::stop_token& stop) {
      while (!stop.stop_requested()) std::this_thread::yield();
      was_stopped = true;
    });
    ASSERT_TRUE(thread);
  }
  EXPECT_TRUE(was_stopped);
}

TEST(Thread, LongNamesAreTruncatedForKernel) {
  char name[32] = {};
  {
    const Result<std::jthread> thread =
        start_thread("a-name-of-more-than-fifteen-characters",
                     [&](const std::stop_token&) { pthread_getname_np(pthread_self(), name, sizeof name); });
    ASSERT_TRUE(thread);
  }
  EXPECT_STREQ(name, "a-name-of-more-");
}

TEST(Thread, ExceptionsBecomeErrors) {
  const auto thrown = [](auto exception) {
    return catching([&]() -> Result<int> { throw exception; }).error();
  };
  EXPECT_NE(thrown(std::bad_alloc()).message.find("Memory ran out"), std::string::npos);
  const std::system_error no_room(std::make_error_code(std::errc::resource_unavailable_try_again));
  EXPECT_NE(thrown(no_room).message.find("cannot start another thread"), std::string::npos);
  EXPECT_EQ(thrown(std::runtime_error("because")).cause, "because");
  EXPECT_EQ(thrown(1).code, ErrorCode::Failed);
  EXPECT_EQ(*catching([]() -> Result<int> { return 1; }), 1);
}

TEST(ThreadPool, BodyExceptionReachesCaller) {
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    const auto throw_at_7 = [](int index, int) {
      if (index == 7) throw std::bad_alloc();
    };
    EXPECT_THROW(pool.parallel_for(20, throw_at_7), std::bad_alloc);
    std::atomic<int> calls = 0;
    pool.parallel_for(20, [&](int, int) { ++calls; });
    EXPECT_EQ(calls, 20);
  }
}

}  // namespace
}  // namespace glyphreel::thread_test
