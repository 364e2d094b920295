/** Limits of one process and of `--workers 2` over SQLite are the same, also with a locked file or a killed worker. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect } from 'chai'
import { SqliteDriver } from '#store-sql/sqlite-driver'
import { chat, configHeader, target } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'
import { answerOk, chatAnswer, openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'
import {
  discard,
  type Folder,
  type GatewayProcess,
  listening,
  makeFolder,
  runGateway,
} from './gateway-process.ts'

const perDay = 20
const budget = 1000
/** An estimate of 101 tokens with the text. */
const mostTokens = 100
const used = 50
const asked = 30

const keys = ['rated', 'fresh', 'budgeted', 'cut']
const keyOf = (name: string) => `gw-${name}-0123456789abcdef`

const apiKeys = keys.map((name) => ({
  name,
  key_hash: `sha256:${createHash('sha256').update(keyOf(name)).digest('hex')}`,
  scopes: ['completions.write'],
  ...(name === 'rated' || name === 'fresh'
    ? { rate_limits: { type: 'requests', unit: 'rpd', value: perDay } }
    : { usage_limits: { type: 'tokens', credit_limit: budget } }),
}))

for (const workers of [1, 2])
  describe(`limits of a gateway with --workers ${workers}`, () => {
    let upstream: Upstream
    let folder: Folder
    let gateway: GatewayProcess
    let url: string
    let waiting: ServerResponse[]

    before(async () => {
      upstream = await openUpstream()
      folder = await makeFolder({ api_keys: apiKeys })
      gateway = runGateway(folder, ['--port', '0', '--workers', String(workers)])
      url = await listening(gateway)
      await until('all serve', () => served() === workers)
    })
    after(async () => {
      await discard(gateway, folder)
      await upstream.close()
    })
    beforeEach(() => {
      waiting = []
      upstream.handle(answerOk)
    })

    const served = () => gateway.logs().filter(({ msg }) => msg === 'listening').length

    /** The status; 0 if the connection was lost. */
    async function ask(name: string): Promise<number> {
      const request = fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          connection: 'close',
          'x-gateway-api-key': keyOf(name),
          ...configHeader(target(upstream.url)),
        },
        body: JSON.stringify(chat('hi', { max_tokens: mostTokens })),
      })
      const answer = await request.catch(() => null)
      await answer?.text().catch(() => null)
      return answer?.status ?? 0
    }

    const count = (statuses: readonly number[], status: number) =>
      statuses.filter((each) => each === status).length

    /**
     * Sends requests in parallel, and lets the upstream answer when the limits have decided about all; returns the
     * statuses.
     */
    async function askAtOnce(name: string, meanwhile: () => Promise<void> = async () => undefined) {
      waiting = []
      upstream.handle((_request, response) => void waiting.push(response))
      let refused = 0
      const answers = Array.from({ length: asked }, async () => {
        const status = await ask(name)
        if (status === 412) refused += 1
        return status
      })
      await until('all are decided', () => waiting.length + refused === asked)
      await meanwhile()
      const usage = { prompt_tokens: 1, completion_tokens: used - 1, total_tokens: used }
      for (const response of waiting) sendJson(response, 200, { ...chatAnswer('ok'), usage })
      return Promise.all(answers)
    }

    it('admit no more concurrent requests than the rest of a token budget holds', async () => {
      const admitted: number[] = []
      for (let round = 0; round < 3; round += 1) admitted.push(count(await askAtOnce('budgeted'), 200))
      expect(admitted).to.deep.equal([10, 5, 3])
    })

    it('stay exact while another process locks the file', async () => {
      for (let index = 0; index < 8; index += 1) expect(await ask('rated')).to.equal(200)
      const other = new SqliteDriver(join(folder.path, 'data', 'gateway.db'))
      other.exec('begin immediate')
      try {
        for (const [name, left] of [
          ['rated', perDay - 8],
          ['fresh', perDay],
        ] as const) {
          const statuses = await Promise.all(Array.from({ length: asked }, () => ask(name)))
          expect([count(statuses, 200), count(statuses, 429)]).to.deep.equal([left, asked - left])
        }
      } finally {
        other.exec('rollback')
        other.close()
      }
    })

    if (workers > 1)
      it('release the holds of a killed worker, and charge the answers of the others once', async () => {
        const statuses = await askAtOnce('cut', async () => {
          const [victim = 0] = spawnSync('pgrep', ['-P', String(gateway.pid)], { encoding: 'utf8' })
            .stdout.split('\n')
            .map(Number)
          process.kill(victim, 'SIGKILL')
          await until('it is replaced', () => served() === workers + 1)
        })
        const answered = count(statuses, 200)
        const left = budget - answered * used
        expect(count(await askAtOnce('cut'), 200)).to.equal(Math.ceil(left / (mostTokens + 1)))
      })
  })
