# conflux_add_manual(TARGET PROGRAM [install options]) makes and installs the manual page and the
# bash completion of a program. Programs know their own options and print both.
function(conflux_add_manual target program)
  set(manual ${CMAKE_CURRENT_BINARY_DIR}/${program}.1)
  set(completion ${CMAKE_CURRENT_BINARY_DIR}/${program}.bash)
  add_custom_command(OUTPUT ${manual} ${completion}
                     COMMAND ${target} --man > ${manual}
                     COMMAND ${target} --bash-completion > ${completion}
                     DEPENDS ${target} VERBATIM)
  add_custom_target(${target}_manual ALL DEPENDS ${manual} ${completion})
  install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 ${ARGN})
  install(FILES ${completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          RENAME ${program} ${ARGN})
endfunction()
