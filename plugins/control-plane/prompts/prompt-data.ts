/** The stored form of the versions of prompts, and the version that a name refers to. */
import { kinds, type PromptContent, type PromptData, splitReference } from '@gateway/domain'
import { contentOf } from './content.ts'
import { versionNumber } from './templates/partials.ts'
import type { VersionKind } from './versions.ts'

export const promptVersions: VersionKind<PromptContent, PromptData> = {
  kind: kinds.promptVersion,
  contentOf,
}

/** Finds the id of a label by its name, or null. */
export type FindLabel = (name: string) => Promise<string | null>

/** The version number for a suffix. `suffix` null: the published version. Returns null for an unknown suffix. */
export async function numberOf(
  data: Pick<PromptData, 'published_version' | 'latest_version' | 'labels'>,
  suffix: string | null,
  findLabel: FindLabel,
): Promise<number | null> {
  if (suffix === null || suffix === 'published') return data.published_version
  if (suffix === 'latest') return data.latest_version
  const number = versionNumber(suffix)
  if (number !== null) return number <= data.latest_version ? number : null
  const label = await findLabel(suffix)
  return label === null ? null : (data.labels[label] ?? null)
}

export const suffixOf = (id: string): string | null => splitReference(id).version
