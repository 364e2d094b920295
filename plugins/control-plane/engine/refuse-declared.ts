/** Refuses writes to objects that are not stored: built-in ones and those of the config file. Errors: `conflict`. */
import type { StoredDocument } from '@gateway/contract'
import type { Call } from './call.ts'
import { isBuiltIn, isOfFile } from './errors.ts'
import { isDeclared, isFileDocument } from './present.ts'
import type { Resource } from './resource.ts'

export function refuseDeclared(
  { title }: Pick<Resource, 'title'>,
  { context }: Pick<Call, 'context'>,
  document: StoredDocument,
): void {
  if (isFileDocument(document)) throw isOfFile(title, context.filePath)
  if (isDeclared(document)) throw isBuiltIn(title)
}
