#include "problems/core/begun_thread.hpp"

#include <memory>
#include <semaphore>
#include <utility>

namespace alidade {

std::jthread begun_thread(std::function<void(const std::stop_token&)> work) {
  auto begun = std::make_shared<std::binary_semaphore>(0);
  std::jthread out([begun, work = std::move(work)](const std::stop_token& end) {
    begun->release();
    work(end);
  });
  begun->acquire();
  return out;
}

}  // namespace alidade
