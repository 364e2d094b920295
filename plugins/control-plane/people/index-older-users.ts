/**
 * Users that earlier versions stored get the attributes that lists and SCIM filters find them by. It goes through a store
 * once; two processes that start together may both do it: what one has written the other finds done.
 */
import { isDeepStrictEqual } from 'node:util'
import {
  type DocumentDraft,
  type DocumentWrite,
  isGatewayError,
  type Job,
  type ServiceContext,
} from '@gateway/contract'
import { type DocumentOf, derivedId, kinds, typedDocuments } from '@gateway/core/domain'
import { atOpening } from '../shared/index.ts'
import { userAttributes } from './user-index.ts'

/** Says that a store was gone through. */
const markerId = derivedId('migration: users have the attributes of SCIM filters')
const pageSize = 500

export const indexOlderUsers = (context: ServiceContext): Promise<Job[]> =>
  atOpening('index-older-users', () => indexAll(context))

async function indexAll({ ports, log, now }: ServiceContext): Promise<void> {
  if ((await ports.documents.get(kinds.migration, markerId)) !== null) return
  const documents = typedDocuments(ports.documents)
  let count = 0
  for (let after: { kind: string; id: string } | null = null; ; ) {
    const page: DocumentOf<'user'>[] = await documents.scan(kinds.user, after, pageSize)
    for (const user of page) if (await indexOne(ports.documents, user)) count += 1
    const last = page.at(-1)
    if (last === undefined) break
    after = { kind: last.kind, id: last.id }
  }
  await ports.documents.commit([{ op: 'put', isQuiet: true, document: marker(now()) }])
  if (count > 0) log.info({ users: count }, 'users of an earlier version can be found by SCIM filters')
}

async function indexOne(
  documents: ServiceContext['ports']['documents'],
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
    // Whoever changed the user in the meantime has set them.
    if (!isGatewayError(error) || error.code !== 'precondition_failed') throw error
    return false
  }
}

const marker = (nowMs: number): DocumentDraft => ({
  kind: kinds.migration,
  id: markerId,
  organisation_id: null,
  workspace_id: null,
  slug: null,
  name: null,
  status: 'active',
  created_at: nowMs,
  last_updated_at: nowMs,
  keys: [],
  attributes: {},
  data: {},
})
