/**
 * Records the data of a released version, in its own checkout, which is built:
 *   node test/dist/upgrades/record.js CHECKOUT VERSION
 * The stores go to `test/upgrades/VERSION/`, compressed, with what the version returned.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { adminKey, config, encryptionKey, readLists, writeContent } from './content.ts'

const [checkout = '', version = ''] = process.argv.slice(2)
const root = fileURLToPath(new URL('../../../', import.meta.url))
const out = join(root, 'test/upgrades', version)
const folder = await mkdtemp(join(tmpdir(), 'gateway-record-'))
await writeFile(join(folder, 'gateway.yaml'), JSON.stringify(config))
const words = ['start', '--port', '0', '--config', join(folder, 'gateway.yaml')]
const child = spawn(join(checkout, 'core/cli/bin/gateway'), words, {
  cwd: folder,
  env: {
    ...process.env,
    GATEWAY_ADMIN_KEY: adminKey,
    GATEWAY_ENCRYPTION_KEY: encryptionKey,
    GATEWAY_DATA_DIR: join(folder, 'data'),
  },
  stdio: ['ignore', 'pipe', 'inherit'],
})
const exited = once(child, 'exit')
let text = ''
let url = ''
for await (const part of child.stdout) {
  text += String(part)
  url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0] ?? ''
  if (url !== '') break
}
const written = await writeContent(url)
const lists = await readLists(url)
child.kill('SIGTERM')
await exited

await mkdir(out, { recursive: true })
for (const name of await readdir(join(folder, 'data'), { recursive: true }))
  if (/\.(db|sqlite)$/.test(name))
    await writeFile(
      join(out, `${name}.gz`),
      gzipSync(await readFile(join(folder, 'data', name)), { level: 9 }),
    )
await writeFile(join(out, 'expected.json'), `${JSON.stringify({ ...written, lists }, null, 2)}\n`)
process.stdout.write(`${(await readdir(join(folder, 'data'), { recursive: true })).join('\n')}\n`)
await rm(folder, { recursive: true })
