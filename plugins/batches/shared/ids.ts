/** Ids as callers see them: a prefix and the hexadecimal digits of a UUID. */
import { randomUUID } from 'node:crypto'
import type { Owner } from './entities.ts'

const prefixes = {
  file: { gateway: 'gwfile-', echo: 'file-echo-' },
  batch: { gateway: 'gwbatch-', echo: 'batch-echo-' },
  // A job on a managed file belongs to the gateway, even if a provider runs it.
  fine_tuning_job: { gateway: 'gwftjob-', echo: 'ftjob-echo-' },
} as const

type Kind = keyof typeof prefixes

const uuid = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/

export const newId = (): string => randomUUID()

export const writeId = (kind: Kind, owner: Owner, id: string): string =>
  prefixes[kind][owner] + id.replaceAll('-', '')

export interface ReadId {
  owner: Owner
  /** A UUID. */
  id: string
}

/**
 * Null for an id of a provider. A malformed id with a prefix of the gateway matches no object (`id` is then not a
 * UUID).
 */
export function readId(kind: Kind, written: string): ReadId | null {
  for (const owner of ['gateway', 'echo'] as const) {
    const prefix = prefixes[kind][owner]
    if (!written.startsWith(prefix)) continue
    const [, ...groups] = uuid.exec(written.slice(prefix.length)) ?? []
    return { owner, id: groups.length === 5 ? groups.join('-') : '' }
  }
  return null
}
