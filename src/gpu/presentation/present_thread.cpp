#include "gpu/presentation/present_thread.h"

#include <utility>

#include "base/threads/thread.h"

namespace glyphreel::gpu {

Result<std::unique_ptr<PresentThread>> PresentThread::start(std::shared_ptr<Device> device,
                                                            std::function<void()> wake) {
  std::unique_ptr<PresentThread> made(new PresentThread(std::move(device), std::move(wake)));
  TRY_ASSIGN(made->thread_,
             start_thread("present", [self = made.get()](const std::stop_token& stop) { self->work(stop); }));
  return made;
}

void PresentThread::present(const Request& request) {
  {
    const MutexLock lock(mutex_);
    CHECK(!request_, "a present was started before the last one was complete");
    request_ = request;
  }
  changed_.notify_all();
}

bool PresentThread::wait(std::chrono::milliseconds timeout) {
  MutexLock lock(mutex_);
  return changed_.wait_for(lock, timeout, [this]() REQUIRES(mutex_) { return !request_; });
}

VkResult PresentThread::result() const {
  const MutexLock lock(mutex_);
  return result_;
}

VkResult PresentThread::take_result() {
  const MutexLock lock(mutex_);
  return std::exchange(result_, VK_SUCCESS);
}

void PresentThread::work(const std::stop_token& stop) {
  for (;;) {
    Request request;
    {
      MutexLock lock(mutex_);
      if (!changed_.wait(lock, stop, [this]() REQUIRES(mutex_) { return request_.has_value(); })) return;
      request = *request_;
    }
    VkPresentInfoKHR present{VK_STRUCTURE_TYPE_PRESENT_INFO_KHR};
    present.waitSemaphoreCount = 1;
    present.pWaitSemaphores = &request.finished;
    present.swapchainCount = 1;
    present.pSwapchains = &request.swapchain;
    present.pImageIndices = &request.image;
    const VkResult result = device_->present(present);
    {
      const MutexLock lock(mutex_);
      result_ = result;
      request_.reset();
    }
    changed_.notify_all();
    if (result != VK_SUCCESS && wake_) wake_();
  }
}

}  // namespace glyphreel::gpu
