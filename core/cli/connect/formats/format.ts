/** Edits one value in the text of a settings file and preserves the rest, including comments and order. */

/** Names, starting with the outermost one. In YAML, `[NAME]` is the item of a list with this `name`. */
export type Path = readonly string[]

export interface SettingsFormat {
  /** A value as it is written in the file. */
  raw(value: unknown): string
  /** The written value at a path; null if the path has no value. Throws if the text cannot be parsed. */
  read(text: string, path: Path): string | null
  write(text: string, path: Path, raw: string): string
  /** Removes the value, and sections that become empty. */
  remove(text: string, path: Path): string
}
