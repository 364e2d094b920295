/** Sends one message to the mail server of the config file: https://nodemailer.com/smtp/ */
import type { Message } from './message.ts'

const timeoutMs = 10_000

export interface Outgoing extends Message {
  to: string
  /** The same for each attempt, so that receivers recognise duplicates. */
  id: string
}

/**
 * Returns null if the server accepted the message, otherwise the reason without credentials. The library is loaded with
 * the first message.
 */
export async function send(
  { smtp_url, from }: { smtp_url: string; from: string },
  { to, id, subject, text, html }: Outgoing,
): Promise<string | null> {
  const { createTransport } = await import('nodemailer')
  const { hostname } = new URL(smtp_url)
  const transport = createTransport({
    url: smtp_url,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  let late: NodeJS.Timeout | undefined
  const deadline = new Promise<string>((resolve) => {
    late = setTimeout(resolve, timeoutMs, 'The mail server did not answer within 10 seconds.')
  })
  const headers = { 'auto-submitted': 'auto-generated' }
  const message = { from, to: { name: '', address: to }, subject, text, html, headers }
  const sent = transport.sendMail({ ...message, messageId: `<${id}@${hostname}>` }).then(() => null, reasonOf)
  try {
    return await Promise.race([sent, deadline])
  } finally {
    clearTimeout(late)
    transport.close()
  }
}

/** The server's reply, or the code of the connection error, whose message may contain the URL. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'The mail could not be sent.'
  const response = 'response' in error && typeof error.response === 'string' ? error.response : null
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  return response === null
    ? `The mail could not be sent: ${code}.`
    : `The mail server answered: ${response.slice(0, 200)}`
}
