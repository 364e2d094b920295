/**
 * Renders the Helm chart. Helm is in no package registry that the tests may use, so this implements the part of its
 * language that the chart is limited to: `define`, `include`, `if`, `else`, `not`, values, and the functions below.
 * Anything else throws.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'

export interface Release {
  name: string
  values: Record<string, unknown>
}

type Node =
  | { kind: 'text'; text: string }
  | { kind: 'output'; expression: string }
  | { kind: 'if'; condition: string; then: Node[]; otherwise: Node[] }

interface Scope {
  data: unknown
  templates: Map<string, Node[]>
}

/** The rendered documents of each template, by file name. */
export async function renderChart(folder: string, release: Release): Promise<Map<string, unknown>> {
  const read = (name: string) => readFile(join(folder, name), 'utf8')
  const chart = parse(await read('Chart.yaml')) as { version: string; appVersion: string }
  const values = merge(parse(await read('values.yaml')), release.values)
  const data = {
    Values: values,
    Release: { Name: release.name },
    Chart: { Version: chart.version, AppVersion: chart.appVersion },
  }
  const scope: Scope = { data, templates: new Map() }
  const names = (await readdir(join(folder, 'templates'))).sort()
  const parsed: [string, Node[]][] = []
  for (const name of names) {
    const nodes = parseTemplate(await read(`templates/${name}`), scope.templates)
    if (name.endsWith('.yaml')) parsed.push([name, nodes])
  }
  const rendered = new Map<string, unknown>()
  for (const [name, nodes] of parsed) {
    const text = run(nodes, scope)
    if (text.trim() !== '') rendered.set(name, parse(text))
  }
  return rendered
}

/** Merges values like Helm: objects by member, everything else is replaced; null removes. */
function merge(base: unknown, over: unknown): unknown {
  if (!isRecord(base) || !isRecord(over)) return over
  const merged: Record<string, unknown> = { ...base }
  for (const [name, value] of Object.entries(over)) {
    if (value === null) delete merged[name]
    else merged[name] = name in base ? merge(base[name], value) : value
  }
  return merged
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parseTemplate(text: string, templates: Map<string, Node[]>): Node[] {
  const root: Node[] = []
  const open: { nodes: Node[]; otherwise?: Node[] }[] = [{ nodes: root }]
  const current = () => open.at(-1)?.nodes ?? root
  let trimsNext = false
  const tokens = text.split(/(\{\{.*?\}\})/)
  for (const [index, token] of tokens.entries()) {
    const action = /^\{\{(-?)\s*(.*?)\s*(-?)\}\}$/.exec(token)
    if (action === null) {
      let plain = trimsNext ? token.trimStart() : token
      if (tokens[index + 1]?.startsWith('{{-')) plain = plain.trimEnd()
      current().push({ kind: 'text', text: plain })
      continue
    }
    trimsNext = action[3] === '-'
    const [, , words = ''] = action
    const [word = ''] = words.split(' ')
    const rest = words.slice(word.length + 1)
    if (word === 'define') {
      const nodes: Node[] = []
      templates.set(JSON.parse(rest) as string, nodes)
      open.push({ nodes })
    } else if (word === 'if') {
      const node = { kind: 'if' as const, condition: rest, then: [], otherwise: [] }
      current().push(node)
      open.push({ nodes: node.then, otherwise: node.otherwise })
    } else if (word === 'else' && rest === '') {
      const { otherwise } = open.pop() ?? {}
      if (otherwise === undefined) throw new Error(`else without if: ${text}`)
      open.push({ nodes: otherwise })
    } else if (word === 'end') {
      open.pop()
    } else current().push({ kind: 'output', expression: words })
  }
  if (open.length !== 1) throw new Error(`a block without its end: ${text}`)
  return root
}

function run(nodes: readonly Node[], scope: Scope): string {
  return nodes
    .map((node) => {
      if (node.kind === 'text') return node.text
      if (node.kind === 'if')
        return run(isTrue(evaluate(node.condition, scope)) ? node.then : node.otherwise, scope)
      const value = evaluate(node.expression, scope)
      if (value === undefined) throw new Error(`${node.expression} has no value`)
      return String(value)
    })
    .join('')
}

const isTrue = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length > 0
    : isRecord(value)
      ? Object.keys(value).length > 0
      : value !== undefined && value !== '' && value !== 0 && value !== false

/** A pipeline: the value of a command is the last argument of the next one. */
function evaluate(expression: string, scope: Scope): unknown {
  const words = expression.match(/"[^"]*"|[()|]|[^\s()|]+/g) ?? []
  let at = 0
  function pipeline(): unknown {
    let value = command()
    while (words[at] === '|') {
      at += 1
      value = command(value)
    }
    return value
  }
  function command(...piped: unknown[]): unknown {
    const word = words[at] ?? ''
    if (!/^[a-zA-Z]/.test(word)) return argument()
    at += 1
    const values: unknown[] = []
    while (at < words.length && words[at] !== '|' && words[at] !== ')') values.push(argument())
    return call(word, [...values, ...piped], scope)
  }
  function argument(): unknown {
    const word = words[at] ?? ''
    at += 1
    if (word === '(') {
      const value = pipeline()
      at += 1
      return value
    }
    if (word === '.') return scope.data
    if (word.startsWith('.')) return word.slice(1).split('.').reduce(member, scope.data)
    return JSON.parse(word) as unknown
  }
  return pipeline()
}

function member(value: unknown, name: string): unknown {
  if (!isRecord(value)) throw new Error(`no object has ${name}`)
  return value[name]
}

const text = (value: unknown): string => String(value)
const indent = (value: unknown, columns: unknown) =>
  text(value).replaceAll(/^/gm, ' '.repeat(Number(columns)))

const functions: Readonly<Record<string, (...values: unknown[]) => unknown>> = {
  not: (value) => !isTrue(value),
  default: (otherwise, value) => (isTrue(value) ? value : otherwise),
  quote: (value) => JSON.stringify(text(value)),
  lower: (value) => text(value).toLowerCase(),
  trunc: (length, value) => text(value).slice(0, Number(length)),
  trimSuffix: (suffix, value) => {
    const end = text(suffix)
    return text(value).endsWith(end) ? text(value).slice(0, -end.length) : value
  },
  toYaml: (value) => stringify(value).trimEnd(),
  nindent: (columns, value) => `\n${indent(value, columns)}`,
  sha256sum: (value) => createHash('sha256').update(text(value)).digest('hex'),
  add: (first, second) => Number(first) + Number(second),
  div: (first, second) => Math.floor(Number(first) / Number(second)),
}

function call(name: string, values: unknown[], scope: Scope): unknown {
  if (name === 'include') {
    const [template, data] = values
    const nodes = scope.templates.get(text(template))
    if (nodes === undefined) throw new Error(`no template ${template}`)
    return run(nodes, { ...scope, data })
  }
  const apply = functions[name]
  if (apply === undefined) throw new Error(`${name} is not among the functions of this renderer`)
  return apply(...values)
}
