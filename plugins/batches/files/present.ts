/** How answers show a file (interface specification, File). */

import type { JsonObject } from '@gateway/contract'
import type { DocumentOf } from '@gateway/domain'
import { writeId } from '../shared/ids.ts'

export const unixSeconds = (ms: number): number => Math.floor(ms / 1000)

export function presentFile({ id, created_at, data }: DocumentOf<'file'>): JsonObject {
  return {
    id: writeId('file', data.owner, id),
    object: 'file',
    bytes: data.bytes,
    created_at: unixSeconds(created_at),
    expires_at: data.expires_at === null ? null : unixSeconds(data.expires_at),
    filename: data.filename,
    purpose: data.purpose,
    status: 'processed',
    status_details: null,
  }
}
