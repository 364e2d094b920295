/**
 * The data of earlier versions, made by their own gateways, opens in this one: it returns everything that they returned,
 * continues their counters, accepts their secrets, and works on.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import {
  discard,
  type Folder,
  type GatewayProcess,
  listening,
  makeFolder,
  runGateway,
} from '../core/boot/gateway-process.ts'
import { chat } from '../support/gateway.ts'
import { isPostgresInstalled, type PostgresServer, startPostgres } from '../support/postgres.ts'
import { describeEmbedded } from '../support/servers.ts'
import { until } from '../support/until.ts'
import type { Upstream } from '../support/upstream.ts'
import {
  adminKey,
  type Engine,
  encryptionKey,
  openKeptUpstream,
  placesOf,
  type Recorded,
  readRecorded,
  versions,
} from './data.ts'
import { keyOfTheFile, storedCredential } from './fill.ts'
import { differences, readEverything } from './reads.ts'
import { type Client, clientOf, dataOf } from './scene.ts'
import { restoreDatabase, restoreFolder, shiftDatabaseClock } from './stores.ts'

const shiftClock = fileURLToPath(new URL('../support/shift-clock.js', import.meta.url))
const minuteMs = 60_000

for (const version of versions()) {
  describeEmbedded(`the SQLite data of version ${version}`, describeData(version, 'sqlite'))
  if (isPostgresInstalled())
    describe(`the Postgres data of version ${version}`, describeData(version, 'postgres'))
}

function describeData(version: string, engine: Engine) {
  return () => {
    let recorded: Recorded
    let upstream: Upstream
    let server: PostgresServer | undefined
    let folder: Folder
    let gateway: GatewayProcess
    let admin: Client

    before(async () => {
      const places = placesOf(version, engine)
      recorded = await readRecorded(version, engine)
      // Some minutes after the data was made, before anything in it ends.
      const shiftMs = recorded.madeAtMs + 5 * minuteMs - Date.now()
      upstream = await openKeptUpstream()
      folder = await makeFolder(await readFile(places.config, 'utf8'))
      const environment: Record<string, string> = { UPSTREAM_URL: upstream.url, GATEWAY_ADMIN_KEY: adminKey }
      if (engine === 'postgres') {
        server = await startPostgres()
        environment.GATEWAY_STORE_URL = await server.createDatabase()
        environment.GATEWAY_ENCRYPTION_KEY = encryptionKey
        await restoreDatabase(places.data, environment.GATEWAY_STORE_URL)
        await shiftDatabaseClock(environment.GATEWAY_STORE_URL, shiftMs)
      } else await restoreFolder(places.data, join(folder.path, 'data'))
      environment.NODE_OPTIONS = `--import ${shiftClock}`
      environment.TEST_CLOCK_SHIFT_MS = String(shiftMs)
      gateway = runGateway(folder, ['--port', '0'], environment)
      admin = clientOf(await listening(gateway), adminKey)
    })
    after(async () => {
      await discard(gateway, folder)
      await Promise.all([server?.close(), upstream?.close()])
    })
    const ask = (
      key: string,
      { config, text, status = 200 }: { config: string; text: string; status?: number },
    ) =>
      admin
        .as(key)
        .post('/v1/chat/completions', chat(text), { headers: { 'x-gateway-config': config }, status })

    it('reads as it was', async () => {
      const reading = await readEverything(admin, recorded.madeAtMs)
      expect(differences(recorded.reading, reading)).to.deep.equal([])
      const { fileId, file } = recorded.filled
      expect(await admin.text(`/v1/files/${fileId}/content`)).to.equal(file)
      const [batch] = dataOf(await admin.get('/v1/batches'))
      const lines = (await admin.text(`/v1/files/${batch?.output_file_id}/content`)).trim().split('\n')
      expect(lines).to.have.length(3)
    })

    it('has secrets that still work', async () => {
      const { keys, person, integration } = recorded.filled
      for (const key of [keys.app, keys.former, keys.rotated])
        await ask(key, { config: 'cached', text: 'cached' })
      await ask(keys.revoked, { config: 'cached', text: 'cached', status: 401 })
      const { email, password } = person
      const session = await admin.as('').post('/v1/auth/login', { email, password })
      const { user } = await admin.as(String(session.token)).get('/v1/auth/self')
      expect(user).to.include({ email })
      await ask(keys.app, {
        config: JSON.stringify({ provider: `@${integration.slug}` }),
        text: 'with the stored credential',
      })
      expect(upstream.seen.at(-1)?.headers.authorization).to.equal(`Bearer ${storedCredential}`)
    })

    it('continues counting', async () => {
      const { keys } = recorded.filled
      await ask(keys.budget, { config: 'guarded', text: 'the fourth of four' })
      await ask(keys.budget, { config: 'guarded', text: 'one too many', status: 412 })
      await ask(keys.rate, { config: 'guarded', text: 'the third of three' })
      await ask(keys.rate, { config: 'guarded', text: 'one too many', status: 429 })
      for (const text of ['third', 'fourth', 'fifth']) await ask(keyOfTheFile, { config: 'guarded', text })
      await ask(keyOfTheFile, { config: 'guarded', text: 'one too many', status: 412 })
    })

    it('takes new entries, versions and batches', async () => {
      const { keys, promptId } = recorded.filled
      const entries = async () => Number((await admin.get('/v1/logs?page_size=1')).total)
      const before = await entries()
      await admin.as(keys.app).post(`/v1/prompts/${promptId}/completions`, { variables: { name: 'Eve' } })
      await until('the entry is in the log', async () => (await entries()) > before)
      await admin.put(`/v1/prompts/${promptId}`, {
        patch: true,
        string: JSON.stringify([{ role: 'user', content: 'Bye' }]),
      })
      expect(dataOf(await admin.get(`/v1/prompts/${promptId}/versions`))).to.have.length(3)
      const line = { custom_id: 'a', method: 'POST', url: '/v1/chat/completions', body: chat('later') }
      const { id } = await admin.upload(JSON.stringify(line), 'batch')
      const settings = { input_file_id: id, endpoint: '/v1/chat/completions', completion_window: 'immediate' }
      const batch = await admin.post('/v1/batches', settings, {
        headers: { 'x-gateway-virtual-key': 'local' },
      })
      await until(
        'the batch is completed',
        async () => (await admin.get(`/v1/batches/${batch.id}`)).status === 'completed',
      )
    })
  }
}
