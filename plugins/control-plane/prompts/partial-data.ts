/** The stored form of the versions of partials. */
import { kinds, type PromptPartialContent, type PromptPartialData } from '@gateway/domain'
import type { VersionKind } from './versions.ts'

export const partialVersions: VersionKind<PromptPartialContent, PromptPartialData> = {
  kind: kinds.promptPartialVersion,
  contentOf: ({ string, version_description }) => ({ string, version_description }),
}
