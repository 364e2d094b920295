/** An error of a template and its position; line and column count from 1. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
  readonly text: string
  readonly offset: number
  readonly line: number
  readonly column: number

  constructor(
    readonly reason: string,
    { text, offset, path = '' }: { text: string; offset: number; path?: string },
  ) {
    const before = text.slice(0, offset).split('\n')
    const line = before.length
    const column = (before.at(-1)?.length ?? 0) + 1
    super(`${reason} (${path === '' ? '' : `in ${path}, `}line ${line}, column ${column})`)
    this.text = text
    this.offset = offset
    this.line = line
    this.column = column
  }

  /** The same error, in a string of a JSON template. @param path JSON pointer of the string */
  at(path: string): TemplateError {
    return new TemplateError(this.reason, { text: this.text, offset: this.offset, path })
  }
}
