/** A mail server for tests: the package smtp-server on loopback. It keeps accepted mail. */
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export interface SunkMail {
  from: string
  to: string[]
  /** Headers by lower-case name, unfolded and decoded. */
  headers: Record<string, string>
  text: string
  html: string
  raw: string
}

export interface SmtpSink {
  url: string
  mails: SunkMail[]
  /** Refuses every message with this status while it is set. */
  refusal: number | null
  /** The number of offered messages. */
  offered: number
  close(): Promise<void>
}

export async function openSmtpSink(login: { user: string; pass: string } | null = null): Promise<SmtpSink> {
  const server = new SMTPServer({
    disabledCommands: login === null ? ['AUTH', 'STARTTLS'] : ['STARTTLS'],
    authOptional: login === null,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    logger: false,
    onAuth({ username, password }, _session, done) {
      if (username === login?.user && password === login?.pass) done(null, { user: username })
      else done(new Error('wrong credentials'))
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        sink.offered += 1
        if (sink.refusal !== null) {
          done(Object.assign(new Error('not now'), { responseCode: sink.refusal }))
          return
        }
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom === false ? '' : mailFrom.address
        const to = rcptTo.map(({ address }) => address)
        sink.mails.push({ from, to, ...readMail(Buffer.concat(chunks).toString('utf8')) })
        done()
      })
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  const credentials = login === null ? '' : `${login.user}:${login.pass}@`
  const sink: SmtpSink = {
    url: `smtp://${credentials}127.0.0.1:${port}`,
    mails: [],
    refusal: null,
    offered: 0,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
  return sink
}

interface Part {
  headers: Record<string, string>
  body: string
}

function readPart(raw: string): Part {
  const end = raw.indexOf('\r\n\r\n')
  const lines = raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':')
      return [line.slice(0, at).toLowerCase(), decodeWords(line.slice(at + 1).trim())]
    }),
  )
  return { headers, body: raw.slice(end + 4) }
}

function readMail(raw: string): Omit<SunkMail, 'from' | 'to'> {
  const { headers, body } = readPart(raw)
  const boundary = /boundary="?([^";]+)"?/.exec(headers['content-type'] ?? '')?.[1] ?? ''
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => readPart(part.replace(/^\r\n/, '')))
  const textOf = (type: string) => {
    const part = parts.find(({ headers: own }) => own['content-type']?.startsWith(type))
    return part === undefined ? '' : decodeBody(part)
  }
  return { headers, text: textOf('text/plain'), html: textOf('text/html'), raw }
}

function decodeBody({ headers, body }: Part): string {
  const encoding = headers['content-transfer-encoding']?.toLowerCase()
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8')
  return encoding === 'quoted-printable' ? decodeQuoted(body.replace(/=\r\n/g, '')) : body
}

const decodeQuoted = (text: string): string =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8')

/** `=?UTF-8?Q?…?=` and `=?UTF-8?B?…?=` of RFC 2047. */
const decodeWords = (text: string): string =>
  text
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString('utf8')
        : decodeQuoted(word.replaceAll('_', ' ')),
    )
