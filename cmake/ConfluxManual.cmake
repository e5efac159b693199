# conflux_add_manual(TARGET PROGRAM [install options]) makes and installs the manual page and the
# completions of a program. Programs know their own options and print all of them.
find_program(GZIP gzip REQUIRED)
function(conflux_add_manual target program)
  set(stem ${CMAKE_CURRENT_BINARY_DIR}/${program})
  add_custom_command(OUTPUT ${stem}.1.gz ${stem}.bash ${stem}.zsh ${stem}.fish
                     COMMAND ${target} --man > ${stem}.1
                     COMMAND ${GZIP} -9nf ${stem}.1
                     COMMAND ${target} --bash-completion > ${stem}.bash
                     COMMAND ${target} --zsh-completion > ${stem}.zsh
                     COMMAND ${target} --fish-completion > ${stem}.fish
                     DEPENDS ${target} VERBATIM)
  add_custom_target(${target}_manual ALL DEPENDS ${stem}.1.gz ${stem}.bash ${stem}.zsh ${stem}.fish)
  install(FILES ${stem}.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 ${ARGN})
  install(FILES ${stem}.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          RENAME ${program} ${ARGN})
  install(FILES ${stem}.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions
          RENAME _${program} ${ARGN})
  install(FILES ${stem}.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
          RENAME ${program}.fish ${ARGN})
endfunction()
