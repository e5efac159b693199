# Debian packages by CPack: the command, the library for C, and what is needed to build with them.
# Two builds of the same commit give the same bytes if SOURCE_DATE_EPOCH is set, as `make deb` does.
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL command library development)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The conflux maintainers <maintainers@conflux.invalid>")
set(CPACK_OUTPUT_FILE_PREFIX ${PROJECT_BINARY_DIR}/packages)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME conflux)
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "align groups of samples by invertible flows
 Given samples of two or more groups, say batches, donors, cytometers or
 climate models, conflux learns one invertible map per group into a shared
 space in which all groups have the same distribution, moving rows as little
 as possible. It reads and writes CSV, NumPy, FCS, AnnData and netCDF files,
 judges its result on rows that it has not seen, and says what to beware of.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libconflux${soversion})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
file(WRITE ${PROJECT_BINARY_DIR}/shlibs
     "libconflux ${soversion} libconflux${soversion} (>= ${PROJECT_VERSION})\n")
file(WRITE ${PROJECT_BINARY_DIR}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/shlibs
    ${PROJECT_BINARY_DIR}/triggers)
# CPack calls ldconfig in scripts, beside the trigger; that is harmless.
file(WRITE ${PROJECT_BINARY_DIR}/overrides
     "libconflux${soversion}: maintscript-calls-ldconfig *\n")
install(FILES ${PROJECT_BINARY_DIR}/overrides DESTINATION share/lintian/overrides
        RENAME libconflux${soversion} COMPONENT library)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "align groups of samples by invertible flows - library for C
 The shared library of conflux with its C interface, for programs in C and
 for bindings of other languages.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libconflux-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libconflux${soversion} (= ${PROJECT_VERSION}), libeigen3-dev, libopenblas-dev, libtbb-dev, \
libhwy-dev, libfmt-dev, zlib1g-dev, libzstd-dev, libzip-dev, libxxhash-dev, libxgboost-dev, \
liblemon-dev, libhdf5-dev, libnetcdf-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "align groups of samples by invertible flows - development
 Headers for C++ and C, the static library, and the CMake package of conflux.")

# Every package has its license and its changes.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/changelog CONTENT
     "conflux (${PROJECT_VERSION}) unstable; urgency=medium

  * See CHANGELOG.md of the sources.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
execute_process(COMMAND ${GZIP} -9nkf ${PROJECT_BINARY_DIR}/changelog)
foreach(part command library development)
  string(TOUPPER ${part} upper)
  set(doc share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  install(FILES ${PROJECT_SOURCE_DIR}/packaging/copyright ${PROJECT_BINARY_DIR}/changelog.gz
          DESTINATION ${doc} COMPONENT ${part})
endforeach()
include(CPack)
