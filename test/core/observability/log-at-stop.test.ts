/** A gateway that stops still writes the entries of requests whose async hooks have not ended. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ports, Store } from '@gateway/contract'
import sqlStore from '@gateway/store-sql'
import { expect } from 'chai'
import { adminKey, chat, configHeader, startGateway, target } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { answerOk, openUpstream } from '../../support/upstream.ts'

describe('a gateway that stops while an async hook runs', () => {
  it('keeps the log entry of the request, without the verdict', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'gateway-log-'))
    let isAsked = false
    const upstream = await openUpstream((request, response, count) => {
      if (request.path !== '/judge') return answerOk(request, response, count)
      isAsked = true
    })
    const storeUrl = `sqlite:${join(directory, 'gateway.db')}`
    const gateway = await startGateway(
      { server: { shutdown_grace_ms: 0 } },
      {
        environment: {
          GATEWAY_ADMIN_KEY: adminKey,
          GATEWAY_DATA_DIR: directory,
          GATEWAY_STORE_URL: storeUrl,
        },
      },
    )
    const webhook = { webhookURL: `${upstream.origin}/judge`, timeout: 60_000 }
    const config = { ...target(upstream.url), output_guardrails: [{ id: 'late', async: true, webhook }] }
    const reply = await gateway.post('/v1/chat/completions', chat(), configHeader(config))
    expect(reply.status).to.equal(200)
    await until('the hook runs', () => isAsked)
    await gateway.stop()
    await upstream.close()
    const store = (await sqlStore.open(storeUrl, { directory, report: () => undefined })) as Store & Ports
    const entries = await store.log.list({}, { limit: 10 })
    await store.close()
    await rm(directory, { recursive: true, force: true })
    expect(entries.map(({ fields }) => fields.trace_id)).to.include(reply.headers.get('x-gateway-trace-id'))
  })
})
