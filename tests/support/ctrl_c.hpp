#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

namespace cauchy::testing_cli {

/// Sends the signal of Ctrl-C once a handler is there for it and `when` holds, 20 ms later.
class CtrlC final {
 public:
  explicit CtrlC(std::function<bool()> when = [] { return true; })
      : when_(std::move(when)), thread_([this] {
          struct sigaction now = {};
          while (!over_.load()) {
            sigaction(SIGINT, nullptr, &now);
            if (now.sa_handler != SIG_DFL && when_()) {
              std::this_thread::sleep_for(std::chrono::milliseconds(20));
              ::kill(::getpid(), SIGINT);
              return;
            }
            std::this_thread::yield();
          }
        }) {}
  ~CtrlC() {
    over_.store(true);
    thread_.join();
  }
  CtrlC(const CtrlC&) = delete;
  CtrlC& operator=(const CtrlC&) = delete;

 private:
  std::function<bool()> when_;
  std::atomic<bool> over_{false};
  std::thread thread_;
};

}  // namespace cauchy::testing_cli
