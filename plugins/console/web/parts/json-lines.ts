/** Finds the lines of values in a JSON text, to show an error at its line. */

export interface Scanned {
  /** The line (from 1) of each value, by its JSON pointer. */
  lines: ReadonlyMap<string, number>
  fault: { line: number; message: string } | null
}

class SyntaxFault extends Error {}

const literal = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
// Control characters (those below a space) must be escaped.
const quoted = /"(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy

const maxDepth = 200

export function scanJson(text: string): Scanned {
  const lines = new Map<string, number>()
  let at = 0
  let line = 1
  const skip = () => {
    for (; at < text.length && ' \t\r\n'.includes(text[at] ?? ''); at++) if (text[at] === '\n') line++
  }
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found === null) return null
    at += found[0].length
    return found[0]
  }
  const expectOne = (wanted: string, where: string) => {
    skip()
    if (text[at] !== wanted) {
      const found = at >= text.length ? 'the end' : JSON.stringify(text[at])
      throw new SyntaxFault(`Expected ${JSON.stringify(wanted)} ${where}, found ${found}.`)
    }
    at++
  }
  const members = (close: string, read: (index: number) => void) => {
    at++
    skip()
    if (text[at] === close) {
      at++
      return
    }
    for (let index = 0; ; index++) {
      read(index)
      skip()
      if (text[at] === close) {
        at++
        return
      }
      expectOne(',', `or ${JSON.stringify(close)} after a value`)
    }
  }
  const value = (pointer: string, depth: number): void => {
    if (depth > maxDepth) throw new SyntaxFault('The value is nested too deeply.')
    skip()
    lines.set(pointer, line)
    if (text[at] === '{') {
      members('}', () => {
        skip()
        const name = take(quoted)
        if (name === null) throw new SyntaxFault('Expected a property name in double quotes.')
        const path = `${pointer}/${String(JSON.parse(name)).replaceAll('~', '~0').replaceAll('/', '~1')}`
        expectOne(':', 'after a property name')
        value(path, depth + 1)
      })
    } else if (text[at] === '[') members(']', (index) => value(`${pointer}/${index}`, depth + 1))
    else if (take(quoted) === null && take(literal) === null)
      throw new SyntaxFault(at >= text.length ? 'The JSON ends too early.' : 'This is not a JSON value.')
  }
  try {
    value('', 0)
    skip()
    if (at < text.length) throw new SyntaxFault('There is text after the JSON value.')
    return { lines, fault: null }
  } catch (error) {
    if (error instanceof SyntaxFault) return { lines, fault: { line, message: error.message } }
    throw error
  }
}

/** The line of a pointer, or of its nearest ancestor. */
export function lineOf(lines: ReadonlyMap<string, number>, pointer: string): number {
  for (let path = pointer; path !== ''; path = path.slice(0, path.lastIndexOf('/'))) {
    const line = lines.get(path)
    if (line !== undefined) return line
  }
  return 1
}
