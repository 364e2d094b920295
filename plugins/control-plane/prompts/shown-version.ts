/** Selects the version of a prompt or partial that an answer shows. */
import type { StoredDocument } from '@gateway/contract'
import type { Versioned } from '@gateway/domain'
import type { Call } from '../engine/index.ts'
import { type FindLabel, numberOf } from './prompt-data.ts'

const key = (id: string) => `shows-latest:${id}`

/** Makes the call show the latest version from now on, because it has just been written. */
export function showLatest(call: Call, id: string): void {
  call.memory.set(key(id), true)
}

/** The number for a suffix, or that of the published version. Null for an unknown suffix. */
export async function shownNumber(
  { id, data }: StoredDocument<Versioned & { labels?: Record<string, number> }>,
  suffix: string | null,
  { call, findLabel }: { call: Call; findLabel: FindLabel },
): Promise<number | null> {
  if (call.memory.get(key(id)) === true) return data.latest_version
  return numberOf({ ...data, labels: data.labels ?? {} }, suffix, findLabel)
}
