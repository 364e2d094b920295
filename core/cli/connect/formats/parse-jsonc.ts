/** Parses JSON with comments and trailing commas into positions. Errors: with the line of the error. */

export interface ObjectNode {
  start: number
  end: number
  members: readonly { name: string; start: number; value: JsonNode }[]
}

export type JsonNode = ObjectNode | { start: number; end: number; members: null }

/** Deeper files are refused. */
const maxDepth = 100
const literal = /(?:"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)/y
const space = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y

/** The index after white space and comments. */
export function skipSpace(text: string, from: number): number {
  space.lastIndex = from
  return from + (space.exec(text)?.[0].length ?? 0)
}

export function parseJsonc(text: string): JsonNode {
  let at = 0
  const skip = () => {
    at = skipSpace(text, at)
  }
  const fail = (): never => {
    throw new Error(`is not valid JSON at line ${text.slice(0, at).split('\n').length}`)
  }
  const isNext = (sign: string) => {
    skip()
    if (text[at] !== sign) return false
    at += 1
    return true
  }
  const readLiteral = (): string => {
    literal.lastIndex = at
    const [found = ''] = literal.exec(text) ?? []
    if (found === '') fail()
    at += found.length
    return found
  }

  function readValue(depth: number): JsonNode {
    skip()
    const start = at
    if (depth > maxDepth) fail()
    if (text[at] === '{') return { start, members: readMembers(depth), end: at }
    if (text[at] === '[') readItems(depth)
    else readLiteral()
    return { start, end: at, members: null }
  }

  function readMembers(depth: number): ObjectNode['members'] {
    const members: ObjectNode['members'][number][] = []
    at += 1
    while (!isNext('}')) {
      const start = at
      if (text[at] !== '"') fail()
      const name = String(JSON.parse(readLiteral()))
      if (!isNext(':')) fail()
      members.push({ name, start, value: readValue(depth + 1) })
      if (!isNext(',') && text[at] !== '}') fail()
    }
    return members
  }

  function readItems(depth: number): void {
    at += 1
    while (!isNext(']')) {
      readValue(depth + 1)
      if (!isNext(',') && text[at] !== ']') fail()
    }
  }

  const root = readValue(0)
  skip()
  if (at < text.length) fail()
  return root
}
