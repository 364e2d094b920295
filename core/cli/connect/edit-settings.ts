/**
 * Adds settings to the text of an agent's settings file and keeps everything else. Throws when the text cannot be
 * parsed.
 */
import type { Agent, Settings } from './agents.ts'

export function editSettings(text: string, format: Agent['format'], settings: Settings): string {
  if (format === 'json') return editJson(text, settings)
  return format === 'toml' ? editToml(text, settings) : editEnv(text, settings)
}

function editJson(text: string, settings: Settings): string {
  let current: unknown
  try {
    current = text.trim() === '' ? {} : JSON.parse(text)
  } catch {
    throw new Error('is not plain JSON (comments are not supported): edit it by hand')
  }
  if (typeof current !== 'object' || current === null || Array.isArray(current))
    throw new Error('is not a JSON object')
  return `${JSON.stringify(merge(current, settings), null, 2)}\n`
}

const isSection = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function merge(current: object, settings: Settings): object {
  const merged: Record<string, unknown> = { ...current }
  for (const [name, value] of Object.entries(settings)) {
    const known = merged[name]
    merged[name] = typeof value === 'object' ? merge(isSection(known) ? known : {}, value) : value
  }
  return merged
}

/** Root settings go before the first table; a table replaces an existing one of the same name. */
function editToml(text: string, settings: Settings): string {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n')
  const roots = Object.entries(settings).filter(([, value]) => typeof value === 'string')
  const tables = Object.entries(settings).filter(([, value]) => typeof value === 'object')
  const withoutTables = tables.reduce((left, [name]) => withoutTable(left, name), lines)
  const firstTable = withoutTables.findIndex((line) => /^\s*\[/.test(line))
  const end = firstTable === -1 ? withoutTables.length : firstTable
  const names = new Set(roots.map(([name]) => name))
  const head = withoutTables.slice(0, end).filter((line) => !names.has(nameOf(line)))
  return `${[
    ...roots.map(tomlLine),
    ...head,
    ...withoutTables.slice(end),
    ...tables.flatMap(([name, members]) => ['', `[${name}]`, ...Object.entries(members).map(tomlLine)]),
  ].join('\n')}\n`
}

const nameOf = (line: string) => /^\s*([A-Za-z0-9_-]+)\s*=/.exec(line)?.[1] ?? ''
// A basic string of TOML has the escapes of JSON.
const tomlLine = ([name, value]: [string, unknown]) => `${name} = ${JSON.stringify(value)}`

function withoutTable(lines: readonly string[], name: string): string[] {
  const start = lines.findIndex((line) => line.trim() === `[${name}]`)
  if (start === -1) return [...lines]
  const length = lines.slice(start + 1).findIndex((line) => /^\s*\[/.test(line))
  const end = length === -1 ? lines.length : start + 1 + length
  return [...lines.slice(0, start), ...lines.slice(end)]
}

const quoted = (text: unknown) => `'${String(text).replaceAll("'", "'\\''")}'`

function editEnv(text: string, settings: Settings): string {
  const names = new Set(Object.keys(settings))
  const kept = text.split('\n').filter((line) => {
    const name = /^export ([A-Z0-9_]+)=/.exec(line)?.[1]
    return line !== '' && (name === undefined || !names.has(name))
  })
  const ours = Object.entries(settings).map(([name, value]) => `export ${name}=${quoted(value)}`)
  return `${[...kept, ...ours].join('\n')}\n`
}
