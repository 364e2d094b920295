/**
 * A start that serves one request and ends, once behind each build: what V8 compiles for it is kept beside the bundle.
 * It keeps nothing and listens on a free port of the loopback address.
 */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openGateway } from './gateway.ts'
import { createLog } from './log.ts'

export interface Rehearsal {
  /** A config file. */
  config: object
  /** Of a chat, to the provider of that file. */
  body: object
}

export async function rehearse({ config, body }: Rehearsal): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-rehearsal-'))
  try {
    const configPath = join(folder, 'gateway.yaml')
    await writeFile(configPath, JSON.stringify(config))
    await serveOnce(configPath, JSON.stringify(body))
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function serveOnce(configPath: string, body: string): Promise<void> {
  const adminKey = randomBytes(24).toString('hex')
  const gateway = await openGateway({
    configPath,
    flags: { host: '127.0.0.1', port: 0 },
    environment: {
      GATEWAY_ADMIN_KEY: adminKey,
      GATEWAY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      GATEWAY_STORE_URL: 'memory:',
    },
    log: createLog('silent').log,
    logRequest: () => undefined,
    printKey: () => undefined,
  })
  try {
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body,
    })
    if (!answer.ok) throw new Error(`The rehearsal was answered with ${answer.status}.`)
    await answer.text()
  } finally {
    await gateway.close()
  }
}
