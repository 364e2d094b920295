/**
 * An error in a config file: its message and its place. `gateway check` prints one per line. Lines and columns count
 * from 1; `param` is the JSON path, as in the error answers of the gateway.
 */
import type { ErrorCode, Fault } from '@gateway/contract'

/** The codes of the error table, and codes specific to files. */
export type FileFaultCode =
  | ErrorCode
  | 'unreadable_file'
  | 'invalid_syntax'
  | 'missing_variable'
  | 'invalid_file'
  | 'not_enforced'
  | 'incomplete'

/** An error without a line yet. */
export interface RuleFault {
  param: string
  code: FileFaultCode
  message: string
}

export interface Position {
  line: number
  column: number
}

export interface FileFault extends Position {
  /** The JSON path, such as `/configs/prod/targets/1/weight`. For an unknown key, the path of its parent. */
  param: string
  code: FileFaultCode
  message: string
}

/**
 * Returns the position of a JSON path: the position of its value if that is a scalar, otherwise of its key. A missing
 * path has the position of its parent. With `key`, returns the position of that key below the path.
 */
export type Locate = (param: string, key?: string) => Position

const unknownKey = /^has the unknown key "(.*?)"(?:\. Did you mean ".*"\?)?$/s

/** The unknown key that a schema error reports; null for other errors. */
export function unknownKeyOf(fault: Pick<Fault, 'message'>): string | null {
  return unknownKey.exec(fault.message)?.[1] ?? null
}

/** Adds positions to errors; an error about an unknown key points at the key. */
export function toFileFaults(
  faults: readonly (Pick<FileFault, 'param' | 'message'> & { code: FileFaultCode })[],
  locate: Locate,
): FileFault[] {
  return faults.map(({ param, code, message }) => ({
    ...locate(param, unknownKeyOf({ message }) ?? undefined),
    param,
    code,
    message,
  }))
}

/** Sorts errors in file order. */
export function sortFaults(faults: readonly FileFault[]): FileFault[] {
  return [...faults].sort((a, b) => a.line - b.line || a.column - b.column)
}
