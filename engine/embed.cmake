# tessera_embed(TARGET NAMESPACE::symbol FILE...): compiles data files into TARGET as string views.
#
# Gives `namespace NAMESPACE { std::span<const Embedded> symbol(); }` with the file's name and text, declared
# in engine/embedded.hpp's form by the caller.
set(TESSERA_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed_script.cmake)
function(tessera_embed target symbol)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded_${symbol}.cpp)
  set(files)
  foreach(file IN LISTS ARGN)
    # What the build makes comes with its whole path.
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE whole)
    list(APPEND files ${whole})
  endforeach()
  string(REPLACE ";" "," joined "${files}")
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DSYMBOL=${symbol} -DFILES=${joined} -P ${TESSERA_EMBED_SCRIPT}
    DEPENDS ${files} ${TESSERA_EMBED_SCRIPT}
    COMMENT "Embedding ${symbol}" VERBATIM)
  # Each has the same names inside: one file can never be joined with another.
  set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${output})
endfunction()
