/**
 * A closed gateway leaves nothing behind in its process: programs that embed gateways, such as tests, can open many in
 * turn.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { adminKey, chat, configHeader, startGateway, target } from '../../support/gateway.ts'
import { answerOk, openUpstream } from '../../support/upstream.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Finalisers and closing sockets need a few turns. */
async function isCollected(reference: WeakRef<object>): Promise<boolean> {
  for (let round = 0; round < 200; round += 1) {
    collectGarbage()
    if (reference.deref() === undefined) return true
    await sleep(10)
  }
  return false
}

/** A separate function, because a suspended one keeps its variables. */
async function useAndClose(config: Record<string, unknown>, environment?: Record<string, string>) {
  const upstream = await openUpstream(answerOk)
  const gateway = await startGateway(config, environment === undefined ? {} : { environment })
  const headers = configHeader({ ...target(upstream.url), ...features })
  for (const stream of [false, false, true]) {
    const response = await gateway.post('/v1/chat/completions', chat('hello', { stream }), headers)
    expect(response.status, await response.text()).to.equal(200)
  }
  for (const path of ['/v1/logs', '/v1/api-keys', '/metrics']) await (await gateway.get(path)).text()
  const reference = new WeakRef(gateway.runtime)
  await gateway.stop()
  await upstream.close()
  return reference
}

const features = {
  cache: { mode: 'simple' },
  retry: { attempts: 1 },
  input_guardrails: [{ 'default.contains': { operator: 'none', words: ['secret'] } }],
}

describe('a closed gateway can be collected', () => {
  it('after requests through a cache, a retry and a guardrail', async () => {
    expect(await isCollected(await useAndClose({}))).to.equal(true)
  })

  it('after requests that were logged on SQLite', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'gateway-collectable-'))
    const reference = await useAndClose(
      {},
      {
        GATEWAY_ADMIN_KEY: adminKey,
        GATEWAY_DATA_DIR: directory,
        GATEWAY_STORE_URL: `sqlite:${directory}/gateway.db`,
      },
    )
    expect(await isCollected(reference)).to.equal(true)
    await rm(directory, { recursive: true })
  })
})
