# Files inside the program. The assembler reads them as they are, which takes no time to compile.

# longshore_embed(RESULT FOLDER): writes a C++ file that defines longshore::ui_files(), with every
# *.gz of the folder as it is and unpacked, and leaves its name in RESULT.
function(longshore_embed result folder)
  file(GLOB_RECURSE packed CONFIGURE_DEPENDS RELATIVE "${folder}" "${folder}/*.gz")
  if(NOT packed)
    message(FATAL_ERROR "There is nothing to embed in ${folder}")
  endif()
  set(unpacked_folder "${CMAKE_CURRENT_BINARY_DIR}/unpacked")
  set(number 0)
  set(symbols "")
  set(rows "")
  set(read "")
  foreach(file IN LISTS packed)
    string(REGEX REPLACE "\\.gz$" "" name "${file}")
    get_filename_component(below "${unpacked_folder}/${name}" DIRECTORY)
    file(MAKE_DIRECTORY "${below}")
    execute_process(COMMAND gzip -dc "${folder}/${file}" OUTPUT_FILE "${unpacked_folder}/${name}"
                    COMMAND_ERROR_IS_FATAL ANY)
    string(APPEND symbols "LONGSHORE_FILE(gzip_${number}, \"${folder}/${file}\")\n"
           "LONGSHORE_FILE(plain_${number}, \"${unpacked_folder}/${name}\")\n")
    string(APPEND rows "    UiFile{\"${name}\", text(plain_${number}, plain_${number}_end),\n"
           "           text(gzip_${number}, gzip_${number}_end)},\n")
    list(APPEND read "${folder}/${file}" "${unpacked_folder}/${name}")
    math(EXPR number "${number} + 1")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${read}")
  set(body "${CMAKE_CURRENT_BINARY_DIR}/ui_files.cpp")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/ui_files.cpp.in" "${body}" @ONLY)
  set_source_files_properties("${body}" PROPERTIES OBJECT_DEPENDS "${read}")
  set(${result} "${body}" PARENT_SCOPE)
endfunction()
