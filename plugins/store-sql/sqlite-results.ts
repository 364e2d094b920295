/** The names of SQLite's results by their number, for errors in the log. https://www.sqlite.org/rescode.html */

const primary =
  'OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB NOTICE WARNING'.split(
    ' ',
  )

/** The suffixes of a result's names, in the order of its extension codes. */
const extensions: Readonly<Record<string, readonly string[]>> = {
  BUSY: ['RECOVERY', 'SNAPSHOT', 'TIMEOUT'],
  READONLY: ['RECOVERY', 'CANTLOCK', 'ROLLBACK', 'DBMOVED', 'CANTINIT', 'DIRECTORY'],
  IOERR:
    'READ SHORT_READ WRITE FSYNC DIR_FSYNC TRUNCATE FSTAT UNLOCK RDLOCK DELETE BLOCKED NOMEM ACCESS CHECKRESERVEDLOCK LOCK CLOSE DIR_CLOSE SHMOPEN SHMSIZE SHMLOCK SHMMAP SEEK DELETE_NOENT MMAP GETTEMPPATH CONVPATH VNODE AUTH BEGIN_ATOMIC COMMIT_ATOMIC ROLLBACK_ATOMIC DATA CORRUPTFS IN_PAGE'.split(
      ' ',
    ),
  CORRUPT: ['VTAB', 'SEQUENCE', 'INDEX'],
  CANTOPEN: ['NOTEMPDIR', 'ISDIR', 'FULLPATH', 'CONVPATH', 'DIRTYWAL', 'SYMLINK'],
  CONSTRAINT:
    'CHECK COMMITHOOK FOREIGNKEY FUNCTION NOTNULL PRIMARYKEY TRIGGER UNIQUE VTAB ROWID PINNED DATATYPE'.split(
      ' ',
    ),
}

/** Such as `SQLITE_CONSTRAINT_UNIQUE`; `SQLITE_ERROR` for a number that is not known. */
export function nameOfResult(number: number): string {
  const name = primary[number & 0xff] ?? 'ERROR'
  const extension = extensions[name]?.[(number >> 8) - 1]
  return extension === undefined ? `SQLITE_${name}` : `SQLITE_${name}_${extension}`
}

/** Beginnings and parts of SQLite's own messages, which are fixed, for errors without a number. */
const messages: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^UNIQUE constraint failed/, 'SQLITE_CONSTRAINT_UNIQUE'],
  [/^NOT NULL constraint failed/, 'SQLITE_CONSTRAINT_NOTNULL'],
  [/^FOREIGN KEY constraint failed/, 'SQLITE_CONSTRAINT_FOREIGNKEY'],
  [/^CHECK constraint failed/, 'SQLITE_CONSTRAINT_CHECK'],
  [/constraint failed/, 'SQLITE_CONSTRAINT'],
  [/^database or disk is full/, 'SQLITE_FULL'],
  [/^database is locked/, 'SQLITE_BUSY'],
  [/^database table is locked/, 'SQLITE_LOCKED'],
  [/^attempt to write a readonly database/, 'SQLITE_READONLY'],
  [/^disk I\/O error/, 'SQLITE_IOERR'],
  [/^database disk image is malformed/, 'SQLITE_CORRUPT'],
  [/^file is not a database/, 'SQLITE_NOTADB'],
  [/^unable to open database file/, 'SQLITE_CANTOPEN'],
  [/^string or blob too big/, 'SQLITE_TOOBIG'],
  [/^datatype mismatch/, 'SQLITE_MISMATCH'],
  [/^out of memory/, 'SQLITE_NOMEM'],
  [/^interrupted/, 'SQLITE_INTERRUPT'],
]

/** The name of the result that SQLite reports with this message; `SQLITE_ERROR` for the message of a query. */
export const nameOfMessage = (message: string): string =>
  messages.find(([pattern]) => pattern.test(message))?.[1] ?? 'SQLITE_ERROR'
