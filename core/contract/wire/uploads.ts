/** Endpoints that take a form, and the files in it. */

/** One field that holds files. */
export interface FileRule {
  field: string
  least: number
  most: number
  /** Body members that replace the files: with one of them, no file is required. */
  unless?: readonly string[]
}

export interface FormRules {
  files: readonly FileRule[]
  /** Whether the same request may also come as JSON, without files. */
  orJson: boolean
}
