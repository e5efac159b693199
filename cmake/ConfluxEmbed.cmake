# conflux_embed_nets(TARGET FILE...) gives a target the bytes of files NAME_net.npz by the name NAME, with
# "-" for "_", as studies/baselines/built_in_nets.h declares them.
function(conflux_embed_nets target)
  set(arrays "")
  set(rows "")
  foreach(file ${ARGN})
    get_filename_component(name ${file} NAME_WE)
    string(REGEX REPLACE "_net$" "" name ${name})
    string(REPLACE "_" "-" shown ${name})
    file(READ ${CMAKE_CURRENT_SOURCE_DIR}/${file} bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" bytes "${bytes}")
    # A literal has a zero at its end that is no byte of the file. Compilers take literals of any
    # length and compile them quickly, but clang says that the standard promises 65536 bytes only.
    string(APPEND arrays "constexpr char ${name}_bytes[] =\n    \"${bytes}\";\n")
    string(APPEND rows "    {\"${shown}\", {${name}_bytes, sizeof ${name}_bytes - 1}},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/built_in_nets.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT
       "#include \"baselines/built_in_nets.h\"

namespace conflux {

namespace {

${arrays}
constexpr BuiltInNet kNets[] = {
${rows}};

}  // namespace

std::span<const BuiltInNet> built_in_nets() { return kNets; }

}  // namespace conflux
" @ONLY)
  target_sources(${target} PRIVATE ${source})
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
                              COMPILE_OPTIONS -Wno-overlength-strings)
endfunction()
