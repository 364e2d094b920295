/** The words of a filter: https://www.rfc-editor.org/rfc/rfc7644#section-3.4.2.2 */
import { invalid } from '../protocol/errors.ts'

export interface Token {
  kind: 'word' | 'text' | 'number' | 'sign'
  /** Of a text, what stands between the quotes, its escapes read. */
  text: string
  /** Whether it follows the one before without a space. */
  isClose: boolean
}

const pattern =
  /(\s*)(?:("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w:.$-])|([A-Za-z$][\w:.$-]*)|(\.[\w$-]+)|([()[\]]))/y

export function tokensOf(filter: string): Token[] {
  const tokens: Token[] = []
  pattern.lastIndex = 0
  for (let at = 0; at < filter.length; at = pattern.lastIndex) {
    pattern.lastIndex = at
    const found = pattern.exec(filter)
    if (found === null) {
      if (filter.slice(at).trim() === '') break
      throw invalid('invalidFilter', `The filter cannot be read at character ${at + 1}.`)
    }
    const [, space = '', text, number, word, behind, sign] = found
    const isClose = space === '' && tokens.length > 0
    if (text !== undefined) tokens.push({ kind: 'text', text: unquoted(text, at), isClose })
    else if (number !== undefined) tokens.push({ kind: 'number', text: number, isClose })
    else if (sign !== undefined) tokens.push({ kind: 'sign', text: sign, isClose })
    else tokens.push({ kind: 'word', text: word ?? behind ?? '', isClose })
  }
  return tokens
}

function unquoted(text: string, at: number): string {
  try {
    return String(JSON.parse(text))
  } catch {
    throw invalid('invalidFilter', `The text at character ${at + 1} of the filter is not written as in JSON.`)
  }
}
