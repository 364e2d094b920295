/**
 * The path to which a browser is sent after a sign-in; only a path of this gateway is accepted. Errors: 400
 * `invalid_query`.
 */
import { invalidQuery } from '../../engine/index.ts'

const defaultPath = '/console'
const maxChars = 2048
const base = 'http://gateway.invalid'

export function returnPath(written: string | undefined): string {
  if (written === undefined || written === '') return defaultPath
  // Browsers read a backslash as a slash and drop tabs and line breaks, so `/\host` would be another host.
  const isPath = /^\/(?!\/)[^\\\s\p{Cc}]*$/u.test(written) && written.length <= maxChars
  if (!isPath || !URL.canParse(written, base) || new URL(written, base).origin !== base) {
    throw invalidQuery('return_to', 'must be a path of this gateway, for example /console')
  }
  return written
}
