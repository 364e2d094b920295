/** Runs a start of the bundle once and keeps the code that V8 made for it: `node core/bin/keep-code.js`. */
import { renameSync, writeFileSync } from 'node:fs'
import { bundleCode } from './freshness.js'
import { loadBundle } from './load-bundle.js'

/** What most config files have; the provider answers by itself. */
const config = {
  providers: { echo: { provider: 'echo' } },
  guardrails: {
    words: { checks: [{ id: 'default.contains', parameters: { words: ['a'], operator: 'none' } }] },
  },
  configs: { usual: { provider: '@echo', retry: { attempts: 1 }, input_guardrails: ['words'] } },
}
const body = { model: '@echo/echo-1', messages: [{ role: 'user', content: 'hello' }] }

const { exports, script } = loadBundle()
await exports.rehearse({ config, body })
const unfinished = `${bundleCode}.${process.pid}`
writeFileSync(unfinished, script.createCachedData())
renameSync(unfinished, bundleCode)
