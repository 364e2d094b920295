/**
 * The tables of docs/conformance/gateway.md: each row is a test, and the page is what came of them. `npm run conformance`
 * writes the page.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { discover } from '#core/discovery/discover'
import { isPostgresInstalled } from '../support/postgres.ts'
import { isRedisInstalled } from '../support/redis.ts'
import { openScene } from '../support/scene.ts'
import { openProviderScene } from './provider-scene.ts'
import { costTable, pricedProviders } from './published/costs.ts'
import { failoverTable } from './published/failover.ts'
import { limitTable } from './published/limits.ts'
import { renderPage } from './published/page.ts'
import { streamTable } from './published/streams.ts'
import { describeTable, type Results } from './published/table.ts'

/** This file is `test/dist/conformance/published.test.js`. */
const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..')
const page = resolve(root, 'docs/conformance/gateway.md')
const { registry } = await discover({ packages: [], disabled: [], directory: root })

if (isPostgresInstalled() && isRedisInstalled()) describe('the published packages', describePublished)
else console.log('left out: the conformance page, because Postgres or Redis is not installed here')

function describePublished(): void {
  const results: Results = new Map()
  const providers = openProviderScene()
  const scene = openScene((origin) => ({ providers: pricedProviders(origin) }))
  const tables = [
    streamTable(registry.providers.values(), providers),
    failoverTable(scene),
    costTable(scene),
    limitTable(),
  ]
  for (const table of tables) describeTable(table, results)

  after('docs/conformance/gateway.md says so', async () => {
    // Some rows alone were asked for.
    if (tables.some(({ title, rows }) => results.get(title)?.length !== rows.length)) return
    const text = renderPage(tables, results)
    if (process.env.WRITE_CONFORMANCE === '1') return writeFile(page, text)
    const known = await readFile(page, 'utf8').catch(() => '')
    expect(known === text, 'docs/conformance/gateway.md is out of date: npm run conformance').to.equal(true)
  })
}
