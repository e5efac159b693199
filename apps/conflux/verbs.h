// The verbs of the command. Each adds its options to the root and does its work in the callback.

#pragma once

#include <CLI/CLI.hpp>

#include "console.h"

namespace conflux::app {

void add_check(CLI::App& root, Console& console);
void add_fit(CLI::App& root, Console& console);
void add_transform(CLI::App& root, Console& console);
void add_inverse(CLI::App& root, Console& console);
void add_translate(CLI::App& root, Console& console);
void add_add_group(CLI::App& root, Console& console);
void add_evaluate(CLI::App& root, Console& console);
void add_info(CLI::App& root, Console& console);
void add_generate(CLI::App& root, Console& console);
void add_convert(CLI::App& root, Console& console);
void add_reproduce(CLI::App& root, Console& console);

/// A verb with the options that all verbs have: -q, -v, --log-format, --json and help. `run` is
/// called when everything on the command line was understood.
CLI::App* add_verb(CLI::App& root, Console& console, const std::string& name,
                   const std::string& description, const std::string& example,
                   std::function<void()> run);

/// Whether a summary is wanted as JSON on standard output.
bool wants_json(const CLI::App& verb);
void print_json(const Json& json);

}  // namespace conflux::app
