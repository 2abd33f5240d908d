# What `cmake --install` puts where: the archive, its headers, and the two files by which CMake
# and pkg-config find them.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

install(TARGETS longshore EXPORT longshoreTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/longshore"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")

set(config_folder "${CMAKE_INSTALL_LIBDIR}/cmake/longshore")
install(EXPORT longshoreTargets NAMESPACE longshore:: DESTINATION "${config_folder}")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/longshoreConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/longshoreConfig.cmake" INSTALL_DESTINATION "${config_folder}")
# Until 1.0 a minor version may break what the one before promised.
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/longshoreConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/longshoreConfig.cmake"
              "${PROJECT_BINARY_DIR}/longshoreConfigVersion.cmake" DESTINATION "${config_folder}")

# The file says where things are from its own place, so that the whole may be moved.
file(RELATIVE_PATH pkgconfig_to_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
set(LONGSHORE_PKGCONFIG_POSTGRES "")
if(LONGSHORE_POSTGRES)
  set(LONGSHORE_PKGCONFIG_POSTGRES ", libpq")
endif()
set(LONGSHORE_PKGCONFIG_REDIS "")
if(LONGSHORE_REDIS)
  set(LONGSHORE_PKGCONFIG_REDIS ", hiredis")
endif()
set(LONGSHORE_PKGCONFIG_OPENSSL "")
if(LONGSHORE_REDIS OR LONGSHORE_REMOTE)
  set(LONGSHORE_PKGCONFIG_OPENSSL ", libssl, libcrypto")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/longshore.pc.in"
               "${PROJECT_BINARY_DIR}/longshore.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/longshore.pc"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
