/**
 * What is wrong with a config file, and where: one fault a line in what `gateway check` prints.
 * Lines and columns count from 1; `param` is the JSON path, as in the error answers of the gateway.
 */
import type { ErrorCode, Fault } from '@gateway/contract'

/** The codes of the error table, and those that only a file can have. */
export type FileFaultCode =
  | ErrorCode
  | 'unreadable_file'
  | 'invalid_syntax'
  | 'missing_variable'
  | 'invalid_file'
  | 'not_enforced'
  | 'incomplete'

/** A fault that has no line yet. */
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
  /** Such as `/configs/prod/targets/1/weight`; of an unknown key, the path of its parent. */
  param: string
  code: FileFaultCode
  message: string
}

/**
 * Gives the place of a JSON path: its value's when that is a scalar, else its key's.
 * A path that is not there has the place of what would hold it. With `key`, the place of that key below the path.
 */
export type Locate = (param: string, key?: string) => Position

const unknownKey = /^has the unknown key "(.*?)"(?:\. Did you mean ".*"\?)?$/s

/** The key that a fault of the schema calls unknown; null when it says something else. */
export function unknownKeyOf(fault: Pick<Fault, 'message'>): string | null {
  return unknownKey.exec(fault.message)?.[1] ?? null
}

/** Gives faults their places: those of an unknown key point at the key itself. */
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

/** From the top of the file to its end. */
export function sortFaults(faults: readonly FileFault[]): FileFault[] {
  return [...faults].sort((a, b) => a.line - b.line || a.column - b.column)
}
