@rem What `exec` of a POSIX shell does, for `npm start` on Windows.
@%*
