/** How answers show a version of a prompt, with its labels. */
import type { JsonObject, StoredDocument } from '@gateway/contract'
import type { PromptContent, PromptData } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { type Call, nullable, timestamp, toIso } from '../engine/index.ts'
import { versionFields } from './fields.ts'
import { labelNames } from './labels.ts'
import type { FoundVersion } from './versions.ts'

const contentAnswer = Object.fromEntries(
  Object.entries(versionFields).map(([name, field]) => [
    name,
    'answer' in field ? field.answer : nullable(field.schema),
  ]),
)

export const versionRow = Type.Object(
  {
    object: Type.Literal('prompt-version'),
    ...contentAnswer,
    prompt_version: Type.Integer({ minimum: 1 }),
    prompt_version_id: Type.String(),
    prompt_version_status: Type.Union([Type.Literal('active'), Type.Literal('archived')]),
    prompt_version_description: nullable(Type.String()),
    labels: Type.Array(Type.String()),
    updated_by: nullable(Type.String()),
    created_at: timestamp,
  },
  { title: 'PromptVersion' },
)

export async function presentVersions(
  document: StoredDocument<PromptData>,
  found: readonly FoundVersion<PromptContent>[],
  call: Call,
): Promise<JsonObject[]> {
  const { data } = document
  const names = await labelNames(call, Object.keys(data.labels))
  return found.map(({ number, id, content, created_at, updated_by }) => ({
    object: 'prompt-version',
    ...content,
    prompt_version: number,
    prompt_version_id: id,
    prompt_version_status: number === data.published_version ? 'active' : 'archived',
    prompt_version_description: content.version_description,
    labels: namesOn(data.labels, number, names),
    updated_by,
    created_at: toIso(created_at),
  }))
}

/** Names of the labels of a version. */
export async function labelsOn(
  { data }: StoredDocument<PromptData>,
  number: number,
  call: Call,
): Promise<string[]> {
  return namesOn(data.labels, number, await labelNames(call, Object.keys(data.labels)))
}

const namesOn = (
  labels: PromptData['labels'],
  number: number,
  names: ReadonlyMap<string, string>,
): string[] =>
  Object.entries(labels)
    .flatMap(([id, on]) => (on === number ? (names.get(id) ?? []) : []))
    .sort()
