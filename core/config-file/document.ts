/**
 * Parses the text of a config file: YAML 1.2, or JSON (RFC 8259) for a file named `.json`, with environment variables
 * substituted in strings. Size and alias expansion are bounded; duplicate keys, foreign tags and cycles are errors.
 */
import { findJsonFault, type JsonFault } from '@gateway/contract'
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  type YAMLMap,
} from 'yaml'
import { type Environment, substitute } from './environment.ts'
import { type FileFault, type Locate, sortFaults } from './fault.ts'
import { createLocator, nodeAt, pairsOf, resolveAlias } from './locate.ts'

/** A config file is written by hand; more than this is a mistake. */
export const maxFileBytes = 10 * 1024 * 1024

/** Nodes that aliases may add: enough for ordinary anchors, too few for a YAML bomb. */
const maxAliasNodes = 100_000

/** The YAML core schema's tags; others produce values that JSON does not have. */
const plainTags = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => `tag:yaml.org,2002:${name}`),
)

export interface FileDocument {
  /** Plain JSON values; undefined if the text cannot be read as one document. */
  value: unknown
  /** Syntax errors and missing variables, in file order. */
  faults: FileFault[]
  locate: Locate
  /** Whether the whole scalar at a path came from one variable. It may then become a number or a boolean. */
  isSubstituted(param: string): boolean
  /** Whether substitution failed for the scalar at a path. It is then not validated further. */
  isUnresolved(param: string): boolean
}

export type FileFormat = 'yaml' | 'json'

export const formatOf = (path: string): FileFormat => (/\.json$/i.test(path) ? 'json' : 'yaml')

/** Parses a text; never throws. */
export function parseFileText(
  written: string,
  environment: Environment,
  format: FileFormat = 'yaml',
): FileDocument {
  const text = written.replace(/^\uFEFF/, '')
  const lines = new LineCounter()
  // YAML accepts all of JSON, and more: a trailing comma, comments, single quotes.
  const notJson = format === 'json' ? findJsonFault(text, Number.POSITIVE_INFINITY) : null
  const document: Document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
    // Detected while walking the document instead, where the path is known.
    uniqueKeys: false,
    version: '1.2',
  })
  const locate = createLocator(document, lines)
  const syntax = notJson === null ? syntaxFaults(document, lines, text) : [jsonFault(notJson)]
  const reader = createReader(document, lines, environment)
  const value = syntax.length > 0 ? undefined : reader.read(document.contents)
  const scalarAt = (param: string) => nodeAt(document, param)
  return {
    value,
    faults: sortFaults([...syntax, ...reader.faults]),
    locate,
    isSubstituted: (param) => reader.substituted.has(scalarAt(param)),
    isUnresolved: (param) => reader.unresolved.has(scalarAt(param)),
  }
}

const jsonFault = ({ line, column, message }: JsonFault): FileFault => ({
  line,
  column,
  param: '',
  code: 'invalid_syntax',
  message: `is not valid JSON: ${message}`,
})

/** The hint for text that YAML reserves. */
function hintAt(text: string, start: number): string {
  if (text.startsWith('${', start - 1)) return ` (inside { } and [ ], write "\${NAME}" in quotes)`
  const [name] = /^@[\w./-]+/.exec(text.slice(start, start + 100)) ?? []
  return name === undefined ? '' : ` (write "${name}" in quotes)`
}

/**
 * One syntax error causes many more, so errors after an unexpected token are dropped, and so are further errors at the
 * same place.
 */
function syntaxFaults(document: Document, lines: LineCounter, text: string): FileFault[] {
  const cascade = document.errors.findIndex(({ code }) => code === 'UNEXPECTED_TOKEN')
  const told = cascade === -1 ? document.errors : document.errors.slice(0, cascade + 1)
  const seen = new Set<number>()
  const first = told.filter(({ pos: [start] }) => !seen.has(start) && seen.add(start))
  return first.map((error) => {
    const [start] = error.pos
    const { line, col } = lines.linePos(start)
    const hint = hintAt(text, start)
    const message =
      error.code === 'MULTIPLE_DOCS'
        ? 'The file must contain one document.'
        : error.message.replaceAll('\n', ' ') + hint
    return { line, column: col, param: '', code: 'invalid_syntax', message }
  })
}

interface Reader {
  read(node: unknown): unknown
  faults: FileFault[]
  substituted: Set<unknown>
  unresolved: Set<unknown>
}

/** Converts nodes to plain values and collects errors. */
function createReader(document: Document, lines: LineCounter, environment: Environment): Reader {
  const faults: FileFault[] = []
  const substituted = new Set<unknown>()
  const unresolved = new Set<unknown>()
  const texts = new Map<Scalar, string>()
  const open = new Set<Node>()
  let aliasDepth = 0
  let aliasNodes = 0

  function fault(
    node: Node,
    { param, code, message }: { param: string; code: FileFault['code']; message: string },
  ) {
    const { line, col } = lines.linePos(node.range?.[0] ?? 0)
    faults.push({ line, column: col, param, code, message })
    unresolved.add(node)
  }

  function readText(node: Scalar, text: string, param: string): string {
    const known = texts.get(node)
    if (known !== undefined) return known
    const result = substitute(text, environment)
    for (const name of new Set(result.missing)) {
      const message =
        `needs the environment variable ${name}, which was not set when this process started: set it and start the process ` +
        `again, or write \${${name}:-default} to give a default`
      fault(node, { param, code: 'missing_variable', message })
    }
    if (result.malformed) {
      fault(node, {
        param,
        code: 'invalid_syntax',
        message: 'has a ${ that is not a variable (write $${ for a plain ${)',
      })
    }
    if (result.whole) substituted.add(node)
    texts.set(node, result.text)
    return result.text
  }

  function readAlias(alias: Node, param: string): unknown {
    const target = resolveAlias(document, alias)
    if (target === undefined) {
      fault(alias, {
        param,
        code: 'invalid_syntax',
        message: 'refers to an anchor that is not defined before it',
      })
      return null
    }
    aliasDepth++
    const value = readNode(target, param)
    aliasDepth--
    return value
  }

  function readNode(node: unknown, param: string): unknown {
    if (node === null || node === undefined) return null
    if (isAlias(node)) return readAlias(node, param)
    const known = node as Node
    if (aliasDepth > 0 && ++aliasNodes > maxAliasNodes) {
      if (aliasNodes === maxAliasNodes + 1) {
        fault(known, { param, code: 'invalid_syntax', message: 'is repeated by aliases too often' })
      }
      return null
    }
    if (open.has(known)) {
      fault(known, { param, code: 'invalid_syntax', message: 'contains itself through an alias' })
      return null
    }
    if (known.tag !== undefined && !plainTags.has(known.tag)) {
      fault(known, { param, code: 'invalid_syntax', message: 'has a tag that this file cannot have' })
      return null
    }
    if (isScalar(known)) {
      return typeof known.value === 'string' ? readText(known, known.value, param) : known.value
    }
    open.add(known)
    const value = readCollection(known, param)
    open.delete(known)
    return value
  }

  function faultDoubles(map: YAMLMap, param: string) {
    const seen = new Set<string>()
    for (const { key } of map.items) {
      const name = isScalar(key) ? String(key.value) : ''
      if (seen.has(name))
        fault(key as Node, { param, code: 'invalid_syntax', message: `has the key "${name}" more than once` })
      seen.add(name)
    }
  }

  function readCollection(node: Node, param: string): unknown {
    if (isSeq(node)) return node.items.map((item, index) => readNode(item, `${param}/${index}`))
    if (!isMap(node)) return null
    faultDoubles(node, param)
    const value: Record<string, unknown> = {}
    for (const [key, pair] of pairsOf(document, node)) {
      const path = `${param}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
      if (key === '__proto__')
        fault(pair.key as Node, { param, code: 'invalid_syntax', message: 'has the key "__proto__"' })
      else value[key] = readNode(pair.value, path)
    }
    return value
  }

  return { read: (node) => readNode(node, ''), faults, substituted, unresolved }
}
