/** Which version of a prompt or partial an answer shows. */
import type { StoredDocument } from '@gateway/contract'
import type { Versioned } from '@gateway/core/domain'
import type { Call } from '../engine/index.ts'
import { type FindLabel, numberOf } from './prompt-data.ts'

const key = (id: string) => `shows-latest:${id}`

/** From here on the call shows the latest version: it has just been written. */
export function showLatest(call: Call, id: string): void {
  call.memory.set(key(id), true)
}

/** The number that a suffix means, else the published one; null for an unknown suffix. */
export async function shownNumber(
  { id, data }: StoredDocument<Versioned & { labels?: Record<string, number> }>,
  suffix: string | null,
  call: Call,
  findLabel: FindLabel,
): Promise<number | null> {
  if (call.memory.get(key(id)) === true) return data.latest_version
  return numberOf({ ...data, labels: data.labels ?? {} }, suffix, findLabel)
}
