/**
 * The recipients of mail about an event: the key's user, its `alert_emails`, the organisation's owners and admins, and
 * for a limit of a workspace also that workspace's admins and managers. Each address occurs once.
 */
import { isObject, type ServiceContext, type StoredDocument } from '@gateway/contract'
import { isOfKind, kinds, type TypedDocuments, typedDocuments } from '@gateway/domain'

/** The most users with a role that are read per organisation or workspace. */
const mostPeople = 1000
const byId = { sort: 'id', order: 'asc' } as const

export async function recipientsOf(
  context: ServiceContext<'documents'>,
  event: StoredDocument,
  key: StoredDocument | null,
): Promise<string[]> {
  const documents = typedDocuments(context.documents)
  const addresses = [...(await keyAddresses(documents, key)), ...(await leaders(documents, event))]
  const { data } = event.data
  const subject = isObject(data) && isObject(data.subject) ? data.subject : {}
  if (subject.type === 'workspace' && typeof subject.id === 'string')
    addresses.push(...(await workspaceLeaders(documents, subject.id)))
  return [...new Set(addresses.map((address) => address.toLowerCase()))]
}

async function keyAddresses(documents: TypedDocuments, key: StoredDocument | null): Promise<string[]> {
  if (key === null || !isOfKind(key, kinds.apiKey)) return []
  const { alert_emails, user_id } = key.data
  return [...(await activeAddress(documents, user_id)), ...(alert_emails ?? [])]
}

async function activeAddress(documents: TypedDocuments, userId: string | null): Promise<string[]> {
  const user = userId === null ? null : await documents.get(kinds.user, userId)
  return user?.status === 'active' ? [user.data.email] : []
}

async function leaders(documents: TypedDocuments, { organisation_id }: StoredDocument): Promise<string[]> {
  const { documents: found } = await documents.list(
    kinds.user,
    { organisation_id, statuses: ['active'], attributes: { role: ['owner', 'admin'] } },
    { ...byId, offset: 0, limit: mostPeople },
  )
  return found.map(({ data }) => data.email)
}

async function workspaceLeaders(documents: TypedDocuments, workspaceId: string): Promise<string[]> {
  const { documents: members } = await documents.list(
    kinds.member,
    { workspace_ids: [workspaceId], statuses: ['active'], attributes: { role: ['admin', 'manager'] } },
    { ...byId, offset: 0, limit: mostPeople },
  )
  const found = await Promise.all(members.map(({ data }) => activeAddress(documents, data.user_id)))
  return found.flat()
}
