/** Stored mail that waits to be sent: five attempts within an hour. */
import type { DocumentWrite, ServiceContext } from '@gateway/contract'
import { type DocumentOf, kinds, type MailData, timeOrderedId } from '@gateway/domain'
import { openSecrets, sealTogether, toIso } from '../../engine/index.ts'
import type { Message } from './message.ts'

export type MailDocument = DocumentOf<'mail'>
type MailDraft = Omit<MailDocument, 'version'>

const minuteMs = 60_000
/** The delay before each attempt after the first. The last attempt is an hour after the first. */
const retryDelaysMs: readonly number[] = [minuteMs, 5 * minuteMs, 15 * minuteMs, 39 * minuteMs]

/** The one receiver of all mail. */
export const mailServer = 'smtp'

export interface NewMail {
  organisation_id: string | null
  workspace_id: string | null
  to: string
  occasion: string
  message: Message
}

/** A message that is due now. */
export function newMail(
  { sealer, now }: ServiceContext<'now' | 'sealer'>,
  { organisation_id, workspace_id, to, occasion, message }: NewMail,
): DocumentWrite {
  const nowMs = now()
  const own = { kind: kinds.mail, id: timeOrderedId(nowMs) }
  const data: MailData = {
    to,
    occasion,
    sealed: sealTogether({ ...message }, own, sealer),
    attempt: 0,
    error: null,
    next_attempt_at: toIso(nowMs),
  }
  return mailWrite(
    {
      ...own,
      organisation_id,
      workspace_id,
      slug: null,
      name: null,
      status: 'pending',
      created_at: nowMs,
      last_updated_at: nowMs,
      keys: [],
      attributes: { server: [mailServer], due: [toIso(nowMs)] },
      data,
    },
    0,
  )
}

export function mailWrite(document: MailDraft, expected: number): DocumentWrite {
  return { op: 'put', isQuiet: true, document: { ...document, data: { ...document.data } }, expected }
}

export function messageOf(mail: MailDocument, { sealer }: ServiceContext<'sealer'>): Message {
  const { subject, text, html } = openSecrets(mail, sealer)
  return { subject: String(subject), text: String(text), html: String(html) }
}

/**
 * The result of an attempt. Completed mail no longer contains the message.
 * @param error null for mail accepted by the
 * server
 */
export function tried(
  { version: _, data, ...mail }: MailDocument,
  error: string | null,
  nowMs: number,
): MailDraft {
  const delayMs = error === null ? undefined : retryDelaysMs[data.attempt]
  const next = delayMs === undefined ? null : toIso(nowMs + delayMs)
  return {
    ...mail,
    status: error === null ? 'succeeded' : next === null ? 'failed' : 'pending',
    last_updated_at: nowMs,
    attributes: { server: [mailServer], ...(next === null ? {} : { due: [next] }) },
    data: {
      ...data,
      sealed: next === null ? null : data.sealed,
      attempt: data.attempt + 1,
      error,
      next_attempt_at: next,
    },
  }
}
