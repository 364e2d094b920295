/** `gateway logs`: a table for people, JSON lines for programs, filters, one call, and new calls as they come. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LogEntry, Ports } from '@gateway/contract'
import clickHouse from '@gateway/store-clickhouse'
import sqlStore from '@gateway/store-sql'
import { expect } from 'chai'
import { main } from '#core/cli/main'
import { entryAt } from '../../conformance/stores/log-entries.ts'
import { testLogsUrl } from '../../support/test-store.ts'
import { terminal } from './support.ts'

describe('gateway logs', () => {
  let directory: string
  const now = Date.now()
  const call = (ago: number, model: string, status: number): LogEntry =>
    entryAt(now - ago, {
      fields: {
        trace_id: `t-${model}`,
        ai_model: model,
        response_status_code: status,
        ai_org: 'echo',
        total_units: 7,
      },
      details: { attempts: [{ path: 'config.targets[0]', provider: 'main', status, reason: 'first' }] },
    })
  const entries = [call(3000, 'small', 200), call(2000, 'large', 500), call(1000, 'small', 429)]
  const logsUrl = testLogsUrl()
  const open = () => {
    const options = { directory, report: () => undefined }
    const { GATEWAY_LOGS_URL: url } = logsUrl
    const opened =
      url === undefined
        ? sqlStore.open(`sqlite:${directory}/gateway.db`, options)
        : clickHouse.open(url, options)
    return opened as Promise<Ports & { close(): Promise<void> }>
  }

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-logs-'))
    await writeFile(join(directory, 'gateway.json'), '{}')
    const store = await open()
    await store.log.append(entries)
    await store.close()
  })
  after(() => rm(directory, { recursive: true, force: true }))

  const run = async (words: string[], more: object = {}) => {
    const recording = {
      ...terminal({
        directory,
        environment: {
          GATEWAY_STORE_URL: `sqlite:${directory}/gateway.db`,
          GATEWAY_DATA_DIR: directory,
          ...logsUrl,
        },
      }),
      ...more,
    }
    const code = await main(['logs', '--config', join(directory, 'gateway.json'), ...words], recording)
    return { code, output: recording.output, errors: recording.errors }
  }
  const models = (output: string) =>
    output
      .trim()
      .split('\n')
      .filter(Boolean)
      .map(
        (line) =>
          (JSON.parse(line) as { ai_model: string; response_status_code: number }).response_status_code,
      )

  it('prints JSON lines, the newest last', async () => {
    const { code, output } = await run([])
    expect([code, models(output)]).to.deep.equal([0, [200, 500, 429]])
    expect(models((await run(['--limit', '1'])).output)).to.deep.equal([429])
  })

  for (const [words, expected] of [
    [
      ['--model', 'small'],
      [200, 429],
    ],
    [
      ['--status', '500,429'],
      [500, 429],
    ],
    [['--errors'], [500, 429]],
    [['--provider', 'none'], []],
    [['--since', '1d', '--trace', 't-large'], [500]],
    [['--since', '1s'], []],
  ] as const) {
    it(`filters by ${words.join(' ')}`, async () => {
      expect(models((await run([...words])).output)).to.deep.equal(expected)
    })
  }

  it('prints a table on a terminal', async () => {
    const { output } = await run([], { isTerminal: true })
    const [head, ...rows] = output.trim().split('\n')
    expect(head).to.match(/^TIME +ID +STATUS +PROVIDER +MODEL/)
    expect(rows).to.have.length(3)
    expect(rows[1]).to.match(/ 500 +echo +large +7 /)
  })

  it('shows one call with its attempts, by its id or its trace', async () => {
    const { output } = await run([entries[1]?.id ?? ''], { isTerminal: true })
    expect(output).to.match(/ai_model +large/)
    expect(output).to.match(/config\.targets\[0\] +main +- +500/)
    const { output: json } = await run(['t-small'])
    expect(JSON.parse(json)).to.deep.include({ id: entries[2]?.id, attempts: entries[2]?.details.attempts })
    expect((await run(['none'])).code).to.equal(1)
  })

  it('follows new calls', async () => {
    let turns = 0
    const store = await open()
    const isDone = () => {
      turns += 1
      if (turns === 1) void store.log.append([call(now - Date.now(), 'new', 201)])
      return turns > 3
    }
    const { output } = await run(['--follow', '--limit', '1'], { isDone })
    await store.close()
    expect(models(output)).to.deep.equal([429, 201])
  })

  for (const words of [
    ['--limit', '0'],
    ['--status', 'bad'],
    ['--since', 'never'],
  ]) {
    it(`refuses ${words.join(' ')}`, async () => {
      expect((await run(words)).code).to.equal(2)
    })
  }

  it('works without a config file, as a start does', async () => {
    const environment = {
      GATEWAY_STORE_URL: `sqlite:${directory}/gateway.db`,
      GATEWAY_DATA_DIR: directory,
      ...logsUrl,
    }
    const recording = terminal({ directory, environment })
    expect(await main(['logs'], recording), recording.errors).to.equal(0)
    expect(models(recording.output)).to.have.length.of.at.least(entries.length)
  })
})
