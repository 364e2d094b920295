/** The bundle that `npm run build` creates behaves like the modules in it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { main } from '#core/cli/main'
import { terminal } from './support.ts'

type Main = typeof main

const loader = new URL('../../../../core/cli/bin/load-bundle.js', import.meta.url)
const { loadBundle } = (await import(loader.href)) as {
  loadBundle(): { main: Main }
}
const bundle = loadBundle()

const faulty = {
  server: { port: 'no', body_limit: 'much', unknown: 1 },
  providers: { a: { provider: 'openai', api_key: '' }, b: { provider: 'none' } },
  guardrails: { words: { checks: [{ id: 'default.contains', parameters: { words: 1 } }] } },
  configs: {
    one: { provider: 'openai' },
    two: { strategy: { mode: 'conditional' }, targets: [{ provider: '@a', retry: { attempts: 9 } }] },
  },
  limits: [{}],
}

describe('the bundle', () => {
  let directory = ''

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-bundle-'))
    await writeFile(join(directory, 'faulty.yaml'), JSON.stringify(faulty, null, 2))
    await writeFile(join(directory, 'right.yaml'), 'providers: { a: { provider: openai, api_key: k } }')
  })

  after(() => rm(directory, { recursive: true }))

  async function printed(run: Main, words: string[]) {
    const io = terminal({ directory })
    return { code: await run(words, io), output: io.output, errors: io.errors }
  }

  const lines = [
    { name: 'finds the packages', words: ['plugins', '--config', 'right.yaml'], code: 0 },
    { name: 'takes a config file that is right', words: ['check', '--config', 'right.yaml'], code: 0 },
    { name: 'finds the faults of one that is wrong', words: ['check', '--config', 'faulty.yaml'], code: 1 },
    { name: 'has the version of the package', words: ['--version'], code: 0 },
  ]
  for (const { name, words, code } of lines) {
    it(name, async () => {
      const ofModules = await printed(main, words)
      expect(ofModules.code).to.equal(code)
      expect(await printed(bundle.main, words)).to.deep.equal(ofModules)
    })
  }
})
