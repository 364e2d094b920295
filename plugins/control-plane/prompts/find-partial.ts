/** Finds versions of partials by the references in templates: `slug`, `slug@2`, `slug@latest`. */
import type { StoredDocument } from '@gateway/contract'
import {
  type PromptPartialContent,
  type PromptPartialData,
  parsePartialText,
  splitReference,
  type Template,
} from '@gateway/domain'
import { type FindPartial, type FoundPartial, PartialError, versionNumber } from './templates/partials.ts'

export interface PartialReader {
  /** The message for an unknown partial, with the names that the caller may list. */
  describeUnknown?(slug: string): Promise<string>
  /** A live partial of the workspace or of the config file. */
  partial(slug: string): Promise<StoredDocument<PromptPartialData> | null>
  version(
    document: StoredDocument<PromptPartialData>,
    number: number,
  ): Promise<Pick<PromptPartialContent, 'string'> | null>
}

/** A partial whose next version is not stored yet. It replaces the latest and the published one. */
export interface NextPartial {
  slug: string | null
  template: Template
}

export function createFindPartial(reader: PartialReader, next: NextPartial | null = null): FindPartial {
  return async (reference) => {
    const { name, version } = splitReference(reference)
    const wanted = version === null || version === 'published' ? 'published' : version
    if (next !== null && name === next.slug && (wanted === 'published' || wanted === 'latest')) {
      return { key: 'next', template: next.template }
    }
    const document = await reader.partial(name)
    if (document !== null) return readVersion(reader, document, wanted)
    if (reader.describeUnknown !== undefined) throw new PartialError(await reader.describeUnknown(name))
    return null
  }
}

async function readVersion(
  reader: PartialReader,
  document: StoredDocument<PromptPartialData>,
  wanted: string,
): Promise<FoundPartial | null> {
  const { data, id } = document
  const number =
    wanted === 'published'
      ? data.published_version
      : wanted === 'latest'
        ? data.latest_version
        : versionNumber(wanted)
  if (number === null) return null
  const content = number === data.latest_version ? data : await reader.version(document, number)
  if (content === null) return null
  // Parsing succeeds because it was validated when it was saved.
  return { key: `${id}@${number}`, template: parsePartialText(content.string) }
}
