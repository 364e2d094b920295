/**
 * Adds to users stored by earlier versions the attributes that lists and SCIM filters search. It goes through a store
 * once. Two processes that start at the same time may both run it: each skips what the other has written.
 */
import { isDeepStrictEqual } from 'node:util'
import {
  type Capabilities,
  type DocumentDraft,
  type DocumentWrite,
  isGatewayError,
  type Job,
  type ServiceContext,
} from '@gateway/contract'
import { type DocumentOf, kinds, migrateOnce, typedDocuments } from '@gateway/domain'
import { atOpening } from '../shared/index.ts'
import { userAttributes } from './user-index.ts'

const pageSize = 500

export const indexOlderUsers = (context: ServiceContext<'documents' | 'log' | 'now'>): Promise<Job[]> =>
  atOpening('index-older-users', async () => {
    const { documents, log, now } = context
    const name = 'users have the attributes of SCIM filters'
    const count = await migrateOnce(documents, { name, nowMs: now() }, () => indexAll(context))
    if (count !== null && count > 0) {
      log.info({ users: count }, 'indexed users stored by an earlier version for SCIM filters')
    }
  })

async function indexAll({ documents: stored }: ServiceContext<'documents'>): Promise<number> {
  const documents = typedDocuments(stored)
  let count = 0
  for (let after: { kind: string; id: string } | null = null; ; ) {
    const page: DocumentOf<'user'>[] = await documents.scan(kinds.user, after, pageSize)
    for (const user of page) if (await indexOne(stored, user)) count += 1
    const last = page.at(-1)
    if (last === undefined) return count
    after = { kind: last.kind, id: last.id }
  }
}

async function indexOne(
  documents: Capabilities['documents'],
  { version, ...user }: DocumentOf<'user'>,
): Promise<boolean> {
  const attributes = { ...user.attributes, ...userAttributes(user.data) }
  if (isDeepStrictEqual(attributes, user.attributes)) return false
  const document: DocumentDraft = { ...user, attributes, data: { ...user.data } }
  const write: DocumentWrite = { op: 'put', document, expected: version, isQuiet: true }
  try {
    await documents.commit([write])
    return true
  } catch (error) {
    // A change of the user in the meantime has already set them.
    if (!isGatewayError(error) || error.code !== 'precondition_failed') throw error
    return false
  }
}
