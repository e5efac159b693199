#include "serve/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "conflux/core/error.h"

namespace conflux::app {

namespace {

// Sanitizers reserve terabytes, which they hardly use.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitsMemory = false;
#elif defined(__has_feature)
constexpr bool kLimitsMemory =
    !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer);
#else
constexpr bool kLimitsMemory = true;
#endif

// The program itself ends after five seconds without checking the signal.
constexpr std::chrono::seconds kPatience{7};

// Between fork and exec only calls that cannot wait for a lock are allowed.
[[noreturn]] void become_program(char* const* words, const char* folder, const char* output,
                                 const char* log, rlim_t most_memory) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setpgid(0, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGALRM}) ::signal(signal, SIG_DFL);
  // A small file can unpack to more than the machine has; then this process gets an error, or ends.
  const rlimit limit{most_memory, most_memory};
  if (kLimitsMemory) ::setrlimit(RLIMIT_DATA, &limit);
  const int score = ::open("/proc/self/oom_score_adj", O_WRONLY);
  if (score >= 0 && ::write(score, "1000", 4) == 4) ::close(score);
  const int nothing = ::open("/dev/null", O_RDONLY);
  const int out = ::open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int err = ::open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (nothing >= 0 && out >= 0 && err >= 0 && ::chdir(folder) == 0 &&
      ::dup2(nothing, STDIN_FILENO) >= 0 && ::dup2(out, STDOUT_FILENO) >= 0 &&
      ::dup2(err, STDERR_FILENO) >= 0) {
    ::execv("/proc/self/exe", words);
  }
  ::_exit(127);
}

}  // namespace

Child::Child(const std::vector<std::string>& words, const std::string& folder,
             const std::string& output, const std::string& log, double most_memory) {
  std::vector<std::string> copies = words;
  copies.insert(copies.begin(), "conflux");
  std::vector<char*> pointers;
  for (std::string& word : copies) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  process_ = ::fork();
  if (process_ == 0) {
    become_program(pointers.data(), folder.c_str(), output.c_str(), log.c_str(),
                   static_cast<rlim_t>(most_memory));
  }
  if (process_ < 0) {
    throw Error(fmt::format("no further process can be started: {}.", std::strerror(errno)));
  }
}

Child::~Child() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

bool Child::running() {
  if (process_ < 0) return false;
  int status = 0;
  if (::waitpid(process_, &status, WNOHANG) == process_) {
    process_ = -1;
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return false;
  }
  if (stopped_ && std::chrono::steady_clock::now() - *stopped_ > kPatience) {
    ::kill(process_, SIGKILL);
  }
  return true;
}

void Child::stop() {
  if (process_ < 0 || stopped_) return;
  stopped_ = std::chrono::steady_clock::now();
  ::kill(process_, SIGTERM);
}

}  // namespace conflux::app
