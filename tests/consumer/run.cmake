# Installs the library into an empty folder, then builds and runs clients that know nothing but that
# folder: in C++ with the static and the shared library, in C with a project that has no C++, and in C
# with what pkg-config says.
set(prefix ${BUILD_DIR}/consumer/prefix)
set(client ${BUILD_DIR}/consumer/build)
set(c_source ${SOURCE_DIR}/tests/c_interface/client.c)
file(REMOVE_RECURSE ${BUILD_DIR}/consumer)
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})
run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/tests/consumer -B ${client} -G Ninja
    -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_CXX_COMPILER=${CXX} -D CMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${client})
run(${client}/client_of_conflux)
run(${client}/client_of_shared)
run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/tests/consumer/c -B ${client}_c -G Ninja
    -D CMAKE_PREFIX_PATH=${prefix} -D CLIENT=${c_source})
run(${CMAKE_COMMAND} --build ${client}_c)
run(${client}_c/client ${client}_c/model.conflux)

find_program(pkg_config pkg-config)
if(pkg_config)
  set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
  execute_process(COMMAND ${pkg_config} --cflags --libs conflux OUTPUT_VARIABLE flags
                  COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run(cc ${c_source} -o ${client}_c/client_of_pkg_config ${flags} -lm
      -Wl,-rpath,${prefix}/${LIBDIR})
  run(${client}_c/client_of_pkg_config ${client}_c/model.conflux)
else()
  message("SKIPPED: pkg-config is not installed")
endif()
