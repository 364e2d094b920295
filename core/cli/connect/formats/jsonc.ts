/** Edits JSON with comments and trailing commas. Members are located by position, and everything else is preserved. */

import type { Path, SettingsFormat } from './format.ts'
import { type JsonNode, type ObjectNode, parseJsonc, skipSpace } from './parse-jsonc.ts'

export const jsonc: SettingsFormat = {
  raw: (value) => JSON.stringify(value),
  read(text, path) {
    const found = walk(rootOf(text), path)
    return found.rest.length > 0 ? null : text.slice(found.node.start, found.node.end)
  },
  write(given, path, raw) {
    const text = given.trim() === '' ? '{}\n' : given
    const { node, rest } = walk(rootOf(text), path)
    if (rest.length === 0) return text.slice(0, node.start) + raw + text.slice(node.end)
    if (node.members === null)
      throw new Error(`has a ${path.slice(0, -rest.length).join('.')} that is no object`)
    return insert(text, node, { path: rest, raw })
  },
  remove(text, path) {
    const { node, rest } = walk(rootOf(text), path.slice(0, -1))
    if (rest.length > 0 || node.members === null) return text
    const index = node.members.findIndex(({ name }) => name === path.at(-1))
    if (index === -1) return text
    const left = cut(text, node, index)
    return node.members.length === 1 && path.length > 1 ? this.remove(left, path.slice(0, -1)) : left
  },
}

function rootOf(text: string): JsonNode {
  const root = text.trim() === '' ? parseJsonc('{}') : parseJsonc(text)
  if (root.members === null) throw new Error('is not a JSON object')
  return root
}

/** The deepest existing node on the path, and the rest of the path. */
function walk(root: JsonNode, path: Path): { node: JsonNode; rest: Path } {
  let node = root
  for (const [index, name] of path.entries()) {
    const next = node.members?.find((member) => member.name === name)
    if (next === undefined) return { node, rest: path.slice(index) }
    node = next.value
  }
  return { node, rest: [] }
}

/** The white space at the beginning of the line at an index. */
function indentAt(text: string, index: number): string {
  const line = text.slice(text.lastIndexOf('\n', index - 1) + 1)
  return /^[ \t]*/.exec(line)?.[0] ?? ''
}

const isOnOneLine = (text: string, { start, end }: JsonNode) => !text.slice(start, end).includes('\n')

function insert(
  text: string,
  node: ObjectNode,
  { path: [name = '', ...inner], raw }: { path: Path; raw: string },
): string {
  const last = node.members.at(-1)
  const outer = indentAt(text, node.start)
  const indent = last === undefined ? `${outer}  ` : indentAt(text, last.start)
  const nested = inner.reduceRight<unknown>((value, key) => ({ [key]: value }), JSON.parse(raw))
  const isFlat = last !== undefined && isOnOneLine(text, node)
  const value = JSON.stringify(nested, null, isFlat ? 0 : 2).replaceAll('\n', `\n${indent}`)
  const member = `${JSON.stringify(name)}: ${value}`
  if (last === undefined)
    return `${text.slice(0, node.start + 1)}\n${indent}${member}\n${outer}${text.slice(node.end - 1)}`
  const space = isFlat ? ' ' : `\n${indent}`
  // The position after a trailing comma, which JSON with comments allows.
  const comma = skipSpace(text, last.value.end)
  const at = text[comma] === ',' ? comma + 1 : last.value.end
  const [before, after] = text[comma] === ',' ? ['', ','] : [',', '']
  // A comment on the line of the last member stays there.
  const rest = space === ' ' ? '' : (/^[ \t]*(?:\/\/[^\n]*|\/\*[^\n]*\*\/)/.exec(text.slice(at))?.[0] ?? '')
  return `${text.slice(0, at)}${before}${rest}${space}${member}${after}${text.slice(at + rest.length)}`
}

/** Removes a member, its comma and its line. */
function cut(text: string, { members }: ObjectNode, index: number): string {
  const member = members[index]
  if (member === undefined) return text
  const previous = members[index - 1]
  const comma = skipSpace(text, member.value.end)
  const end = text[comma] === ',' ? comma + 1 : member.value.end
  const before = text.slice(0, member.start).replace(/\s+$/, '')
  const after = text.slice(end)
  if (end !== member.value.end || previous === undefined) return before + after
  const own = skipSpace(text, previous.value.end)
  return before.slice(0, own) + before.slice(own + 1) + after
}
