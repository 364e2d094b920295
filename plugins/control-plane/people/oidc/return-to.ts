/** Where a browser goes after a sign-in: a path of the gateway's own, nowhere else. Errors: 400 `invalid_query`. */
import { invalidQuery } from '../../engine/index.ts'

const defaultPath = '/console'
const maxChars = 2048
const base = 'http://gateway.invalid'

export function returnPath(written: string | undefined): string {
  if (written === undefined || written === '') return defaultPath
  // Browsers read a backslash as a slash and leave out tabs and line breaks: `/\host` is another host.
  const isPath = /^\/(?!\/)[^\\\s\p{Cc}]*$/u.test(written) && written.length <= maxChars
  if (!isPath || !URL.canParse(written, base) || new URL(written, base).origin !== base) {
    throw invalidQuery('return_to', 'must be a path of this gateway, as in /console')
  }
  return written
}
