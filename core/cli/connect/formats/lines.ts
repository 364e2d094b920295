/** Formats with one setting per line: TOML (`[table]` and `name = value`) and files of environment variables. */
import type { Path, SettingsFormat } from './format.ts'

interface LineFormat {
  raw(value: unknown): string
  /** The name and the written value of a line; null for any other line. */
  parse(line: string): { name: string; raw: string } | null
  render(name: string, raw: string): string
}

const quoted = (text: unknown) => `'${String(text).replaceAll("'", "'\\''")}'`

/** The replacement of `{{start}}` in a value: a new text each time that a shell reads the file. */
const eachStart = `'"$(date +%s)-$$"'`

/** A file that a shell reads. */
const shellLines: LineFormat = {
  raw: (value) => quoted(value).replaceAll('{{start}}', () => eachStart),
  parse: (line) => parseWith(/^\s*export ([A-Za-z0-9_]+)=(.*)$/, line),
  render: (name, raw) => `export ${name}=${raw}`,
}

/** A file that the agent itself reads. */
const dotenvLines: LineFormat = {
  raw: (value) => JSON.stringify(value),
  parse: (line) => parseWith(/^\s*(?:export )?([A-Za-z0-9_]+)=(.*)$/, line),
  render: (name, raw) => `${name}=${raw}`,
}

const tomlLines: LineFormat = {
  // Basic strings of TOML have the same escapes as JSON.
  raw: (value) => JSON.stringify(value),
  parse: (line) => parseWith(/^\s*([A-Za-z0-9_-]+)\s*=\s*(.*?)\s*$/, line),
  render: (name, raw) => `${name} = ${raw}`,
}

function parseWith(pattern: RegExp, line: string): { name: string; raw: string } | null {
  const [, name, raw] = pattern.exec(line) ?? []
  return name === undefined || raw === undefined ? null : { name, raw }
}

/** A table's lines, without its header; the whole file of a format without tables. */
interface Section {
  start: number
  end: number
}

const header = /^\s*\[+\s*([^\]]+?)\s*\]+\s*(?:#.*)?$/

function sectionOf(lines: readonly string[], table: string | undefined): Section | null {
  const endFrom = (start: number) => {
    const length = lines.slice(start).findIndex((line) => header.test(line))
    return length === -1 ? lines.length : start + length
  }
  if (table === undefined) return { start: 0, end: endFrom(0) }
  const at = lines.findIndex((line) => header.exec(line)?.[1] === table)
  return at === -1 ? null : { start: at + 1, end: endFrom(at + 1) }
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/))

/** With the line ends of the text that they replace. */
function textOf(lines: readonly string[], replaced: string): string {
  const end = replaced.includes('\r\n') ? '\r\n' : '\n'
  return lines.map((line) => line + end).join('')
}

/** `[name]`, or `[table, name]`. */
const split = (path: Path): { table: string | undefined; name: string } =>
  path.length > 1
    ? { table: path.slice(0, -1).join('.'), name: path.at(-1) ?? '' }
    : { table: undefined, name: path[0] ?? '' }

function createLineFormat({ raw, parse, render }: LineFormat): SettingsFormat {
  const indexIn = (lines: readonly string[], { start, end }: Section, name: string): number => {
    const index = lines.slice(start, end).findIndex((line) => parse(line)?.name === name)
    return index === -1 ? -1 : start + index
  }
  return {
    raw,
    read(text, path) {
      const { table, name } = split(path)
      const lines = linesOf(text)
      const section = sectionOf(lines, table)
      const index = section === null ? -1 : indexIn(lines, section, name)
      return index === -1 ? null : (parse(lines[index] ?? '')?.raw ?? null)
    },
    write(text, path, value) {
      const { table, name } = split(path)
      const lines = linesOf(text)
      const section = sectionOf(lines, table)
      const line = render(name, value)
      if (section === null)
        return textOf([...lines, ...(lines.length === 0 ? [] : ['']), `[${table}]`, line], text)
      const index = indexIn(lines, section, name)
      if (index !== -1) return textOf(lines.with(index, line), text)
      return textOf(lines.toSpliced(lastOf(lines, section), 0, line), text)
    },
    remove(text, path) {
      const { table, name } = split(path)
      const lines = linesOf(text)
      const section = sectionOf(lines, table)
      const index = section === null ? -1 : indexIn(lines, section, name)
      if (section === null || index === -1) return text
      const left = lines.toSpliced(index, 1)
      const isEmpty = left.slice(section.start, section.end - 1).every((line) => line.trim() === '')
      if (table === undefined || !isEmpty) return textOf(left, text)
      const blank = left[section.start - 2]?.trim() === '' ? 1 : 0
      return textOf(left.toSpliced(section.start - 1 - blank, section.end - section.start + blank), text)
    },
  }
}

/** The position after the last non-blank line of a section. */
function lastOf(lines: readonly string[], { start, end }: Section): number {
  const index = lines.slice(start, end).findLastIndex((line) => line.trim() !== '')
  return start + index + 1
}

export const toml = createLineFormat(tomlLines)
export const shell = createLineFormat(shellLines)
export const dotenv = createLineFormat(dotenvLines)
