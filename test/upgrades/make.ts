/**
 * Creates the data of a version with its own gateway: `node test/dist/upgrades/make.js VERSION [COMMIT]`. Default: the
 * commit with the tag `vVERSION`. Needs Git, Postgres and pg_dump.
 */
import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { discard, listening, makeFolder, run } from '../core/boot/gateway-process.ts'
import { startPostgres } from '../support/postgres.ts'
import { commandOf, commitOf } from './checkout.ts'
import { adminKey, type Engine, encryptionKey, openKeptUpstream, placesOf, writeRecorded } from './data.ts'
import { fill } from './fill.ts'
import { readEverything } from './reads.ts'
import { clientOf } from './scene.ts'
import { keepDatabase, keepFolder } from './stores.ts'

const configFile = fileURLToPath(new URL('../../upgrades/gateway.yaml', import.meta.url))

async function makeData(version: string, commit: string, engine: Engine): Promise<void> {
  const upstream = await openKeptUpstream()
  const folder = await makeFolder(await readFile(configFile, 'utf8'))
  const server = engine === 'postgres' ? await startPostgres() : null
  const storeUrl = await server?.createDatabase()
  const environment = {
    UPSTREAM_URL: upstream.url,
    GATEWAY_ADMIN_KEY: adminKey,
    ...(storeUrl === undefined ? {} : { GATEWAY_STORE_URL: storeUrl, GATEWAY_ENCRYPTION_KEY: encryptionKey }),
  }
  const start = () => run(folder.path, [...commandOf(commit), 'start', '--port', '0'], environment)
  let gateway = start()
  const end = async () => {
    gateway.signal('SIGTERM')
    await gateway.exited
  }
  try {
    const url = await listening(gateway)
    const madeAtMs = Date.now()
    const filled = await fill(clientOf(url, adminKey), upstream.origin)
    await end()
    // After a restart, the gateway returns only stored data.
    gateway = start()
    const reading = await readEverything(clientOf(await listening(gateway), adminKey), madeAtMs)
    await end()
    const places = placesOf(version, engine)
    if (storeUrl === undefined) await keepFolder(join(folder.path, 'data'), places.data)
    else await keepDatabase(storeUrl, places.data)
    await copyFile(configFile, places.config)
    await writeRecorded(engine, { version, commit, madeAtMs, filled, reading })
  } catch (error) {
    process.stderr.write(gateway.output.stderr)
    throw error
  } finally {
    await discard(gateway, folder)
    await Promise.all([server?.close(), upstream.close()])
  }
}

const [version, name = `v${version}`] = process.argv.slice(2)
const commit = version === undefined ? null : commitOf(name)
if (version === undefined || commit === null) {
  process.stderr.write(
    `Usage: node test/dist/upgrades/make.js VERSION [COMMIT]. There is no commit ${name}.\n`,
  )
  process.exitCode = 1
} else {
  for (const engine of ['sqlite', 'postgres'] as const) await makeData(version, commit, engine)
}
