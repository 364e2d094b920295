/**
 * Sends mail that is due. A message that the server refuses is retried; when it is given up, an audit record is
 * written.
 */
import type { ServiceContext } from '@gateway/contract'
import { kinds } from '@gateway/domain'
import { commitAsSystem } from '../../engine/index.ts'
import { createOutbox, unlessOvertaken } from '../outbox.ts'
import { type MailDocument, mailServer, mailWrite, messageOf, tried } from './outbox.ts'
import { send } from './smtp.ts'

export function createMailSender(
  context: ServiceContext<
    'beginWork' | 'countMail' | 'documents' | 'email' | 'log' | 'now' | 'sealer' | 'shared'
  >,
): { begin(nowMs: number): Promise<void> } {
  const outbox = createOutbox(context, {
    kind: kinds.mail,
    receiver: { attribute: 'server', of: () => mailServer, lease: (server) => `mail:${server}` },
    async send(_server, mails) {
      await Promise.all(mails.map(sendOne))
    },
  })

  async function sendOne(mail: MailDocument): Promise<void> {
    const settings = context.email()
    // The mail server was removed from the config file: messages wait until one is configured again or they expire.
    if (settings === null) return
    const { data, id } = mail
    const error = await send(settings, { ...messageOf(mail, context), to: data.to, id })
    const after = tried(mail, error, context.now())
    const isOver = after.status === 'failed'
    context.countMail(error === null ? 'sent' : isOver ? 'failed' : 'retried')
    const write = mailWrite(after, mail.version)
    await unlessOvertaken(() => {
      if (!isOver) return context.documents.commit([write])
      return commitAsSystem(context, mail.organisation_id ?? '', {
        writes: [write],
        note: {
          action: 'alert',
          resource_type: 'mail',
          resource_id: id,
          workspace_id: mail.workspace_id,
          details: { to: data.to, occasion: data.occasion, error },
        },
        status: 502,
      })
    })
  }

  return {
    async begin(nowMs) {
      if (context.email() !== null) await outbox.begin(nowMs)
    },
  }
}
