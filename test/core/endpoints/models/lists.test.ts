/**
 * How long model lists are cached, how often they are requested, and the behaviour while a provider does not answer.
 */
import { expect } from 'chai'
import { createModelLists } from '#core/endpoints/models/lists'
import type { ResolvedTarget } from '#flow/config-node'
import { stopClock, turnUntil } from '../../../support/clock.ts'
import { turns } from '../../../support/until.ts'

const target = (identity: string, hasList = true) =>
  ({
    identity,
    slug: identity,
    adapter: {
      name: 'acme',
      models: [{ id: 'known' }],
      endpoints: hasList ? { listModels: { kind: 'http' } } : {},
    },
  }) as unknown as ResolvedTarget

describe('cached model lists', () => {
  const clock = stopClock()

  /** Creates lists and records their requests by name, in order. Each request waits for `answer` or `fail`. */
  const open = () => {
    const asked: string[] = []
    const failures: string[] = []
    const running = new Map<string, { resolve(ids: string[]): void; reject(error: unknown): void }>()
    const lists = createModelLists({
      ask: ({ identity }) =>
        new Promise((resolve, reject) => {
          asked.push(identity)
          running.set(identity, { resolve: (ids) => resolve(ids.map((id) => ({ id }))), reject })
        }),
      failed: ({ identity }, reason) => failures.push(`${identity} ${reason}`),
    })
    const get = async (identity: string) => (await lists.of(target(identity))).map(({ id }) => id)
    const answer = async (identity: string, ...ids: string[]) => {
      await turnUntil(() => running.has(identity), 'the question')
      running.get(identity)?.resolve(ids)
      running.delete(identity)
    }
    const fail = async (identity: string) => {
      await turnUntil(() => running.has(identity), 'the question')
      running.get(identity)?.reject(new Error('no'))
      running.delete(identity)
    }
    return { lists, asked, failures, get, answer, fail }
  }

  it('are requested once, however many callers wait', async () => {
    const { asked, get, answer } = open()
    const waiting = Promise.all([get('a'), get('a'), get('a')])
    await answer('a', 'm')
    expect(await waiting).to.deep.equal([['m'], ['m'], ['m']])
    expect(asked).to.deep.equal(['a'])
  })

  it('are kept for five minutes', async () => {
    const { asked, get, answer } = open()
    const first = get('a')
    await answer('a', 'm')
    await first
    await clock.tick(299_000)
    expect(await get('a')).to.deep.equal(['m'])
    expect(asked).to.have.length(1)
    await clock.tick(2000)
    const second = get('a')
    await answer('a', 'n')
    expect(await second).to.deep.equal(['n'])
  })

  it('of a provider without a list endpoint come from its adapter', async () => {
    const { lists, asked } = open()
    expect(await lists.of(target('a', false))).to.deep.equal([{ id: 'known' }])
    expect(asked).to.deep.equal([])
  })

  it('that cannot be fetched are replaced by the previous list for half a minute', async () => {
    const { asked, failures, get, answer, fail } = open()
    const first = get('a')
    await fail('a')
    expect(await first).to.deep.equal(['known'])
    expect(failures).to.deep.equal(['a internal_error'])
    await clock.tick(29_000)
    expect(await get('a')).to.deep.equal(['known'])
    await clock.tick(2000)
    const second = get('a')
    await answer('a', 'm')
    expect(await second).to.deep.equal(['m'])
    await clock.tick(301_000)
    const third = get('a')
    await fail('a')
    expect(await third).to.deep.equal(['m'])
    expect(asked).to.have.length(3)
  })

  it('time out after three seconds', async () => {
    const { failures, get } = open()
    const waiting = get('a')
    await clock.tick(3001)
    expect(await waiting).to.deep.equal(['known'])
    expect(failures).to.deep.equal(['a request_timeout'])
  })

  it('are requested eight at a time, and the next as soon as one has arrived', async () => {
    const { asked, get, answer } = open()
    const names = Array.from({ length: 10 }, (_, index) => `p${index}`)
    const waiting = Promise.all(names.map(get))
    await turns(20)
    expect(asked).to.deep.equal(names.slice(0, 8))
    await answer('p3', 'm')
    await turns(20)
    expect(asked).to.deep.equal(names.slice(0, 9))
    for (const name of names.filter((other) => other !== 'p3')) await answer(name, 'm')
    expect(await waiting).to.deep.equal(names.map(() => ['m']))
  })

  it('that were not reached in time are requested by the next call', async () => {
    const { asked, get, answer } = open()
    const names = Array.from({ length: 9 }, (_, index) => `p${index}`)
    const waiting = Promise.all(names.map(get))
    await turns(20)
    await clock.tick(3001)
    expect(await waiting).to.deep.equal(names.map(() => ['known']))
    const before = asked.length
    const again = Promise.all([get('p8'), get('p0')])
    await turnUntil(() => asked.length > before, 'another question')
    expect(asked.slice(before)).to.deep.equal(['p8'])
    await answer('p8', 'm')
    expect(await again).to.deep.equal([['m'], ['known']])
  })
})
