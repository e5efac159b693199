# conflux_add_layer(NAME USES LAYER...) builds src/NAME/*.cc as an object library that sees the
# public headers; conflux_pack_layers() packs all of them into the installed library.
set(CONFLUX_LAYERS "" CACHE INTERNAL "")

add_library(conflux_settings INTERFACE)
target_compile_features(conflux_settings INTERFACE cxx_std_20)
# Fused multiply-adds that the compiler introduces by itself would make bits depend on inlining.
target_compile_options(conflux_settings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                       -Wno-sign-conversion -ffp-contract=off
                       $<$<BOOL:${CONFLUX_WERROR}>:-Werror>)
# g++ collects its garbage whenever memory has doubled, which takes a twentieth of the time; sources
# need less than half a gigabyte.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(conflux_settings INTERFACE --param=ggc-min-heapsize=524288)
endif()
# g++ 12 suspects std::string itself of overflows where literals are appended; the sanitizers and
# clang look for real ones.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(conflux_settings INTERFACE -Wno-array-bounds -Wno-restrict
                         -Wno-stringop-overflow -Wno-stringop-overread)
endif()
if(CONFLUX_SANITIZE)
  # The sanitizers' own code confuses g++'s search for uninitialized values. UBSan's checks of every
  # single access double the time of compiling; AddressSanitizer sees most of what they would find.
  target_compile_options(conflux_settings INTERFACE -fsanitize=${CONFLUX_SANITIZE}
                         -fno-sanitize=null,alignment,object-size,vptr
                         -fno-omit-frame-pointer -fno-sanitize-recover=all
                         $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  # One instruction set instead of five: instrumented kernels take minutes to compile.
  target_compile_definitions(conflux_settings INTERFACE HWY_COMPILE_ONLY_STATIC)
  target_link_options(conflux_settings INTERFACE -fsanitize=${CONFLUX_SANITIZE})
endif()

# Flags of every source of the library.
function(conflux_set_up_layer target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/include)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_include_directories(${target} SYSTEM PRIVATE ${RANDOM123_INCLUDE_DIR}
                             ${LEMON_INCLUDE_DIR} ${ZSTD_INCLUDE_DIR} ${LIBZIP_INCLUDE_DIR}
                             ${FAST_FLOAT_INCLUDE_DIR})
  target_link_libraries(${target} PRIVATE conflux_settings fmt::fmt TBB::tbb hwy::hwy
                        conflux_openblas ZLIB::ZLIB PUBLIC Eigen3::Eigen)
endfunction()

# conflux_precompile_headers(NAME HEADER...) parses headers once for the targets that name NAME
# after REUSE_FROM and have its flags. Sources still include what they use: they must compile with
# CMAKE_DISABLE_PRECOMPILE_HEADERS as well.
function(conflux_precompile_headers name)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cc)
  if(NOT EXISTS ${source})
    file(WRITE ${source} "// A target needs a source; this one is about its headers.\n")
  endif()
  add_library(${name} OBJECT ${source})
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()

# ccache keeps nothing that includes precompiled headers unless it is told to be sloppy, and saves
# more than they and joined sources do.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES ccache)
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
  set(CONFLUX_JOIN_SOURCES OFF)
endif()

# conflux_join_sources(TARGET COUNT) compiles so many sources at a time, because most of a small
# source's time goes into templates that its neighbors need as well. Names in anonymous namespaces
# must therefore differ within a folder.
function(conflux_join_sources target count)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${CONFLUX_JOIN_SOURCES}
                        UNITY_BUILD_BATCH_SIZE ${count})
  # Sources that are included look like headers, in which an anonymous namespace would be wrong.
  if(CONFLUX_JOIN_SOURCES AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

# Without, half of a small source's time goes into Eigen and fmt. The library and its programs share
# them, so the targets have only what all of these have: a compiler refuses headers that were
# precompiled with a definition that a source lacks. g++ also compiles every source that uses
# precompiled headers with the optimization of the headers, whatever its own flags say; so layers with
# inner loops have a set of their own.
foreach(headers conflux_headers conflux_fast_headers)
  conflux_precompile_headers(
    ${headers} <Eigen/Core>
    ${PROJECT_SOURCE_DIR}/include/conflux/core/error.h
    ${PROJECT_SOURCE_DIR}/include/conflux/core/group_set.h
    ${PROJECT_SOURCE_DIR}/include/conflux/core/matrix.h
    ${PROJECT_SOURCE_DIR}/include/conflux/core/parallel.h <fmt/format.h> <fmt/ranges.h> <algorithm>
    <array> <cmath> <filesystem> <functional> <map> <memory> <numeric> <optional> <set> <span>
    <string> <string_view> <unordered_map> <variant> <vector>)
  set_target_properties(${headers} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${headers} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${headers} PRIVATE conflux_settings fmt::fmt Eigen3::Eigen)
endforeach()
target_compile_options(conflux_fast_headers PRIVATE $<$<CONFIG:Release>:-O3>)

function(conflux_add_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 LAYER "" "" "USES")
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cc)
  add_library(conflux_${name} OBJECT ${sources})
  conflux_set_up_layer(conflux_${name})
  if(name IN_LIST CONFLUX_LAYERS_WITH_INNER_LOOPS)
    target_compile_options(conflux_${name} PRIVATE $<$<CONFIG:Release>:-O3>)
    target_precompile_headers(conflux_${name} REUSE_FROM conflux_fast_headers)
  else()
    target_precompile_headers(conflux_${name} REUSE_FROM conflux_headers)
  endif()
  conflux_join_sources(conflux_${name} 20)
  foreach(used ${LAYER_USES})
    target_link_libraries(conflux_${name} PUBLIC conflux_${used})
  endforeach()
  set(CONFLUX_LAYERS ${CONFLUX_LAYERS} ${name} CACHE INTERNAL "")
endfunction()

function(conflux_pack_layers)
  add_library(conflux)
  add_library(conflux::conflux ALIAS conflux)
  foreach(layer ${CONFLUX_LAYERS})
    target_sources(conflux PRIVATE $<TARGET_OBJECTS:conflux_${layer}>)
  endforeach()
  set_target_properties(conflux PROPERTIES VERSION ${PROJECT_VERSION} LINKER_LANGUAGE CXX
                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_compile_features(conflux PUBLIC cxx_std_20)
  target_include_directories(conflux PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(conflux PUBLIC Eigen3::Eigen PRIVATE fmt::fmt TBB::tbb hwy::hwy
                        hwy::hwy_contrib conflux_openblas ZLIB::ZLIB PNG::PNG
                        $<BUILD_INTERFACE:${LEMON_LIBRARY}> $<INSTALL_INTERFACE:lemon>
                        $<BUILD_INTERFACE:${ZSTD_LIBRARY}> $<INSTALL_INTERFACE:zstd>
                        $<BUILD_INTERFACE:${LIBZIP_LIBRARY}> $<INSTALL_INTERFACE:zip>
                        $<BUILD_INTERFACE:${XXHASH_LIBRARY}> $<INSTALL_INTERFACE:xxhash>
                        $<BUILD_INTERFACE:${XGBOOST_LIBRARY}> $<INSTALL_INTERFACE:xgboost>)
  if(CONFLUX_HAS_HDF5)
    target_link_libraries(conflux PRIVATE $<BUILD_INTERFACE:${HDF5_LIBRARY}>
                          $<INSTALL_INTERFACE:hdf5_serial>)
  endif()
  if(CONFLUX_HAS_NETCDF)
    target_link_libraries(conflux PRIVATE $<BUILD_INTERFACE:${NETCDF_LIBRARY}>
                          $<INSTALL_INTERFACE:netcdf>)
  endif()
  if(CONFLUX_SANITIZE)
    target_link_options(conflux PUBLIC -fsanitize=${CONFLUX_SANITIZE})
  endif()

  include(CMakePackageConfigHelpers)
  install(TARGETS conflux conflux_openblas EXPORT conflux-targets
          ARCHIVE COMPONENT development LIBRARY COMPONENT library)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/conflux DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
          COMPONENT development)
  install(EXPORT conflux-targets NAMESPACE conflux::
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/conflux COMPONENT development)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/conflux-config.cmake.in
                                ${PROJECT_BINARY_DIR}/conflux-config.cmake
                                INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/conflux)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/conflux-config-version.cmake
                                   COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/conflux-config.cmake
          ${PROJECT_BINARY_DIR}/conflux-config-version.cmake
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/conflux COMPONENT development)
endfunction()

# The same objects as a shared library, for C++ and C. It shows the names of conflux and nothing else,
# so that what it was linked with never meets the symbols of another program.
function(conflux_add_shared_library)
  add_library(conflux_shared SHARED)
  add_library(conflux::shared ALIAS conflux_shared)
  foreach(layer ${CONFLUX_LAYERS})
    target_sources(conflux_shared PRIVATE $<TARGET_OBJECTS:conflux_${layer}>)
  endforeach()
  get_target_property(libraries conflux LINK_LIBRARIES)
  set(symbols ${PROJECT_SOURCE_DIR}/cmake/symbols.map)
  target_link_libraries(conflux_shared PRIVATE ${libraries})
  # Only the headers for C++ need Eigen; a project in C has neither it nor standards of C++.
  set(in_cxx $<TARGET_EXISTS:Eigen3::Eigen>)
  target_link_libraries(conflux_shared INTERFACE $<${in_cxx}:Eigen3::Eigen>)
  target_compile_features(conflux_shared INTERFACE $<${in_cxx}:cxx_std_20>)
  target_include_directories(conflux_shared INTERFACE
                             $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_options(conflux_shared PRIVATE -Wl,--version-script,${symbols} -Wl,--as-needed
                      -Wl,-Bsymbolic-functions)
  set_target_properties(conflux_shared PROPERTIES OUTPUT_NAME conflux LINKER_LANGUAGE CXX
                        EXPORT_NAME shared VERSION ${PROJECT_VERSION} LINK_DEPENDS ${symbols}
                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  install(TARGETS conflux_shared EXPORT conflux-shared-targets
          LIBRARY COMPONENT library NAMELINK_COMPONENT development)
  install(EXPORT conflux-shared-targets NAMESPACE conflux::
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/conflux COMPONENT development)
  file(RELATIVE_PATH to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/conflux.pc.in ${PROJECT_BINARY_DIR}/conflux.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/conflux.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT development)
endfunction()
