/** Creates the mail for an event in the commit that distributes the event, so that each message is stored once. */
import {
  type DocumentWrite,
  isObject,
  type JsonObject,
  type ServiceContext,
  type StoredDocument,
} from '@gateway/contract'
import { kinds, snapshotOf, typedDocuments } from '@gateway/domain'
import { contentOf, isMailed } from './content.ts'
import { writeMessage } from './message.ts'
import { newMail } from './outbox.ts'
import { recipientsOf } from './recipients.ts'

export function createMailListener(
  context: ServiceContext<'documents' | 'email' | 'now' | 'publicUrl' | 'sealer'>,
): (event: StoredDocument, data: JsonObject) => Promise<DocumentWrite[]> {
  return async (event, data) => {
    const type = String(event.data.type)
    if (context.email() === null || !isMailed(type)) return []
    const subject = await subjectOf(context, event, data)
    const key = subject?.kind === kinds.apiKey ? subject : null
    const occasion = { type, data, key, subjectName: subject?.name ?? null }
    const content = contentOf(occasion, context.publicUrl())
    if (content === null) return []
    const message = writeMessage(content)
    const { organisation_id, workspace_id } = event
    const place = { organisation_id, workspace_id, occasion: type }
    const addresses = await recipientsOf(context, event, key)
    return addresses.map((to) => newMail(context, { ...place, to, message }))
  }
}

const kindsBySubject: Readonly<Record<string, string>> = {
  'api-key': kinds.apiKey,
  workspace: kinds.workspace,
  provider: kinds.provider,
  'policy-usage-limits': kinds.usageLimitPolicy,
}

/** The subject of an event: the object at that time, or the owner of the limit. Null if it is not stored. */
async function subjectOf(
  context: ServiceContext<'documents'>,
  event: StoredDocument,
  data: JsonObject,
): Promise<StoredDocument | null> {
  const snapshot = snapshotOf(event)
  if (snapshot !== null) return snapshot
  const subject = isObject(data.subject) ? data.subject : {}
  const kind = kindsBySubject[String(subject.type)]
  if (kind === undefined || typeof subject.id !== 'string') return null
  return typedDocuments(context.documents).get(kind, subject.id)
}
