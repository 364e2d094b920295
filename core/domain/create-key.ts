/** Creates keys of the gateway, which it stores only as hashes. */
import { randomInt } from 'node:crypto'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const randomChars = 40

/** A new key: the prefix and 40 random letters and digits, 238 bits. */
export function createKey(prefix: string): string {
  return prefix + Array.from({ length: randomChars }, () => alphabet[randomInt(alphabet.length)]).join('')
}
