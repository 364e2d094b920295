/** Starts a gateway on loopback that stores nothing, and prints the OpenAPI document that it serves. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { openGateway } from '../../dist/boot/open-gateway.js'

const directory = mkdtempSync(join(tmpdir(), 'gateway-openapi-'))
const configPath = join(directory, 'gateway.json')
writeFileSync(configPath, JSON.stringify({ plugins: { disabled: ['console'] } }))
const gateway = await openGateway({
  configPath,
  flags: { host: '127.0.0.1', port: 0 },
  environment: { GATEWAY_DATA_DIR: directory, GATEWAY_STORE_URL: 'memory:' },
  log: pino({ level: 'error' }, process.stderr),
  logRequest: () => undefined,
  printKey: () => undefined,
})
try {
  const response = await fetch(`${gateway.url}/v1/openapi.json`)
  if (!response.ok) throw new Error(`The OpenAPI document was answered with status ${response.status}.`)
  process.stdout.write(await response.text())
} finally {
  await gateway.close()
  rmSync(directory, { recursive: true, force: true })
}
