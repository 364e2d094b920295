/** Ids of the config file's objects: identical in every process and after every start (UUID version 5, RFC 9562). */
import { createHash } from 'node:crypto'
import { defaultWorkspaceId } from '@gateway/domain'

/** The namespace UUID of this gateway; every id is hashed with it. */
const namespace = Buffer.from('7d7a5b1c52fb5f0e9c0b2f6a6d2f1c00', 'hex')

/** The id of an object of the file, by its kind and its key. */
export function fileId(kind: string, key: string): string {
  const bytes = createHash('sha1').update(namespace).update(`${kind}:${key}`).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** The default workspace exists even if the file does not declare it. */
export const fileWorkspaceId = (slug: string) =>
  slug === 'default' ? defaultWorkspaceId : fileId('workspace', slug)
