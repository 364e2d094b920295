/** Gateway keys are kept and compared as their SHA-256 hashes. */
import { hash } from 'node:crypto'

export function hashKey(key: string): Buffer {
  return hash('sha256', key, 'buffer')
}
