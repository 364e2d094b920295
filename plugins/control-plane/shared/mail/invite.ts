/** Mail with the link of an invite, for the commit that creates the invite. */
import type { DocumentWrite, ServiceContext } from '@gateway/contract'
import { plainName, writeMessage } from './message.ts'
import { newMail } from './outbox.ts'

export interface InviteMail {
  organisationId: string
  organisationName: string
  email: string
  link: string
  expiresAt: string
}

/** Empty if the config file names no mail server. */
export function inviteMail(
  context: ServiceContext<'email' | 'now' | 'sealer'>,
  { organisationId, organisationName, email, link, expiresAt }: InviteMail,
): DocumentWrite[] {
  if (context.email() === null) return []
  const name = plainName(organisationName)
  const message = writeMessage({
    subject: `You are invited to ${name}`,
    intro: `You are invited to the organisation "${name}" of an AI gateway. The link works once, until ${expiresAt.slice(0, 16).replace('T', ' ')} UTC.`,
    facts: [],
    link: { label: 'Accept the invite', url: link },
  })
  const place = { organisation_id: organisationId, workspace_id: null, occasion: 'invite' }
  return [newMail(context, { ...place, to: email.toLowerCase(), message })]
}
