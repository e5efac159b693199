// conflux serve: a page on which one drops a table and watches its groups flow together.

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>

#include "check_report.h"
#include "conflux/core/error.h"
#include "core/stop.h"
#include "dataset/memory_limit.h"
#include "dataset/table_overview.h"
#include "serve/http_server.h"
#include "serve/page.h"
#include "serve/session.h"
#include "serve/work_folder.h"
#include "support/interrupt.h"
#include "verbs.h"

namespace conflux::app {

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{200};

struct ServeFlags {
  std::string table;
  std::string look;
  std::string max_memory;
  std::string max_upload = "2G";
  Index idle_seconds = 1800;
  int threads = 0;
};

void check_table(const std::string& path) {
  std::error_code error;
  if (path.empty() || std::filesystem::exists(path, error)) return;
  throw Error(fmt::format("{} does not exist.", path));
}

std::vector<std::string> open_paths() {
  std::vector<std::string> out;
  for (const PagePart& part : page_parts()) out.push_back(part.path);
  return out;
}

void say_where(const Console& console, int port, const std::string& token) {
  const std::string address = fmt::format("http://127.0.0.1:{}/#{}", port, token);
  if (console.json) {
    print_json({{"address", address}, {"port", port}});
    std::fflush(stdout);
    return;
  }
  console.info("open " + address);
  console.info(fmt::format(
      "only this machine can; from elsewhere, ssh -L {}:127.0.0.1:{} and the name of this machine, "
      "then open the same address there. Ctrl-C ends it.",
      port, port));
}

void run_serve(const ServeFlags& flags, const Console& console) {
  if (!flags.look.empty()) {
    catch_interrupts();
    const StopScope scope(interrupt_flag());
    try {
      Json found = look_at_columns(flags.look, flags.threads);
      found["output"] = aligned_name({flags.look}, "");
      print_json(found);
    } catch (const Stopped&) {
      stop_if_interrupted();
    }
    return;
  }
  check_table(flags.table);
  // The memory of a fit is counted before it starts; reading and scoring need some more, and every
  // thread a stack.
  const double beside_the_fit = 1e9 + 16e6 * std::thread::hardware_concurrency();
  SessionOptions options{.table = flags.table};
  options.most_upload = static_cast<std::uint64_t>(bytes_from_text(flags.max_upload));
  options.most_memory = bytes_from_text(flags.max_memory) + beside_the_fit;
  if (!flags.max_memory.empty()) {
    options.common_words = {"--max-memory", flags.max_memory};
  }
  if (flags.threads != 0) {
    options.common_words.insert(options.common_words.end(),
                                {"--threads", fmt::format("{}", flags.threads)});
  }
  // OpenBLAS would start unused threads, each with memory of its own.
  ::setenv("OPENBLAS_NUM_THREADS", "1", 1);
  catch_interrupts();
  const std::string token = random_token();
  const WorkFolder folder;
  Session session(options, folder);
  {
    const HttpServer server({.token = token,
                             .most_bytes_of_upload = options.most_upload,
                             .open_paths = open_paths(),
                             .folder = folder.path()},
                            [&session](const Request& request) { return session.answer(request); });
    say_where(console, server.port(), token);
    while (!interrupted()) {
      if (session.idle_seconds() > static_cast<double>(flags.idle_seconds)) {
        console.info(fmt::format("no request for {} s.", flags.idle_seconds));
        break;
      }
      std::this_thread::sleep_for(kBetweenLooks);
    }
  }
  session.end();
  console.info("ended; uploads and results on the page are removed.");
}

}  // namespace

Verb serve_verb() {
  const auto flags = std::make_shared<ServeFlags>();
  Verb verb{.name = "serve",
            .description = "align on a local web page: drop a table, watch, download",
            .example = "conflux serve cells.csv",
            .run = [flags](const Console& console) { run_serve(*flags, console); }};
  verb.add({{.names = "TABLE", .help = "table to load at the start", .target = &flags->table},
            {.names = "--max-upload",
             .value = "BYTES",
             .help = "refuse larger tables from the page; TABLE is not limited [2G]",
             .target = &flags->max_upload},
            {.names = "--max-memory",
             .value = "BYTES",
             .help = "refuse to start a fit if more is needed, say 4G [what the machine has]",
             .target = &flags->max_memory},
            {.names = "--idle",
             .value = "SECONDS",
             .help = "seconds without a request after which the server ends [1800]",
             .target = &flags->idle_seconds,
             .least = 1},
            {.names = "--look",
             .value = "FILE",
             .help = "print what the columns of a table are, as the page shows it, and end",
             .target = &flags->look,
             .shown = Shown::kToExperts},
            threads_flag(flags->threads)});
  return verb;
}

}  // namespace conflux::app
