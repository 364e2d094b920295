/** Inheritance from the nodes above a target, key by key (contract section 4). */
import { expect } from 'chai'
import { stopClock } from '../../support/clock.ts'
import { chat } from '../../support/gateway.ts'
import { openScene, type Reply, saysNothing, tree } from '../../support/scene.ts'

type Keys = Record<string, unknown>

const check = (id: string, words: string[]) => ({
  id,
  checks: [{ id: 'default.contains', parameters: { words, operator: 'none' } }],
})

describe('inheritance', () => {
  const scene = openScene()
  const clock = stopClock()
  const breakers = { count: 0 }

  /** A leaf below two nodes, each with its keys. */
  const config = (
    top: Keys,
    middle: Keys,
    { leaf, name = 'a' }: { leaf: Keys; name?: string | undefined },
  ) => ({
    ...tree('single', [{ ...tree('single', [scene.leaf(name, leaf)]), ...middle }]),
    ...top,
  })
  const hookIds = ({ body }: Reply) => {
    const results = body.hook_results as { after_request_hooks?: { id: string }[] } | undefined
    return (results?.after_request_hooks ?? []).map(({ id }) => id)
  }

  interface Inherited {
    key: string
    /** Two values of the key, and one that represents an empty value. */
    one: unknown
    two: unknown
    none?: unknown
    /** The effect of the key on a request with this config. */
    see(config: (name?: string) => unknown): Promise<unknown>
    sees: { one: unknown; two: unknown; none?: unknown }
  }

  const inherited: Inherited[] = [
    {
      key: 'retry',
      one: { attempts: 1, on_status_codes: [404] },
      two: { attempts: 2 },
      none: { attempts: 0 },
      async see(config) {
        scene.answers = { a: 500 }
        await clock.run(scene.ask(config()))
        const after500 = scene.calls().length
        scene.answers = { a: 404 }
        await clock.run(scene.ask(config()))
        return [after500, scene.calls().length - after500]
      },
      sees: { one: [1, 2], two: [3, 1], none: [1, 1] },
    },
    {
      key: 'cb_config',
      one: { failure_threshold: 1, cooldown_interval: 30_000, failure_status_codes: [404] },
      two: { failure_threshold: 2, cooldown_interval: 30_000 },
      async see(config) {
        breakers.count += 1
        const name = `breaker${breakers.count}`
        const statuses: number[] = []
        for (const status of [404, 500, 500, 500]) {
          scene.answers = { [name]: status }
          statuses.push((await clock.run(scene.ask(config(name)))).status)
        }
        return statuses
      },
      sees: { one: [404, 503, 503, 503], two: [404, 500, 500, 503] },
    },
    {
      key: 'request_timeout',
      one: 1100,
      two: 1200,
      async see(config) {
        scene.answers = { a: saysNothing }
        await clock.run(scene.ask(config()))
        return clock.waits.filter((wait) => wait === 1100 || wait === 1200)
      },
      sees: { one: [1100], two: [1200] },
    },
    {
      key: 'forward_headers',
      one: ['X-One', 'x-both'],
      two: ['x-two', 'x-both'],
      none: [],
      async see(config) {
        await scene.ask(config(), { headers: { 'x-one': '1', 'x-two': '2', 'x-both': '3' } })
        const { headers } = scene.seen('a')
        return ['x-one', 'x-two', 'x-both'].filter((name) => headers[name] !== undefined)
      },
      sees: { one: ['x-one', 'x-both'], two: ['x-two', 'x-both'], none: [] },
    },
    {
      key: 'strict_compat_compliance',
      one: true,
      two: false,
      async see(config) {
        await scene.ask(config(), { body: chat('hi', { thinking: { type: 'enabled' } }) })
        return 'thinking' in (scene.seen('a').json ?? {})
      },
      sees: { one: false, two: true },
    },
    {
      key: 'output_guardrails',
      one: [check('first', ['zzz']), check('second', ['zzz'])],
      two: [check('third', ['zzz'])],
      none: [],
      see: async (config) => hookIds(await scene.ask(config())),
      sees: { one: ['first', 'second'], two: ['third'], none: [] },
    },
    {
      key: 'after_request_hooks',
      one: [check('first', ['zzz']), check('second', ['zzz'])],
      two: [check('third', ['zzz'])],
      none: [],
      see: async (config) => hookIds(await scene.ask(config())),
      sees: { one: ['first', 'second'], two: ['third'], none: [] },
    },
  ]

  for (const { key, one, two, none, see, sees } of inherited) {
    describe(key, () => {
      const places: [what: string, keys: [unknown?, unknown?, unknown?], seen: unknown][] = [
        ['comes from two nodes above', [one], sees.one],
        ['comes from the node above', [undefined, one], sees.one],
        ['of the node above replaces that above it, whole', [one, two], sees.two],
        ['of the leaf replaces that of all above, whole', [one, one, two], sees.two],
        ['of the leaf replaces the other way round, too', [two, undefined, one], sees.one],
      ]
      if (none !== undefined) places.push(['can be set to nothing', [one, two, none], sees.none])
      for (const [what, values, seen] of places) {
        it(what, async () => {
          const [top, middle, leaf] = [0, 1, 2].map((place) =>
            values[place] === undefined ? {} : { [key]: values[place] },
          )
          expect(
            await see((name) => config(top ?? {}, middle ?? {}, { leaf: leaf ?? {}, name })),
          ).to.deep.equal(seen)
        })
      }

      it('of one target does not reach the next target', async () => {
        const first = scene.leaf('first', { [key]: one })
        const second = (name?: string) =>
          tree(
            'conditional',
            [
              { ...first, name: 'first' },
              { ...scene.leaf(name ?? 'a', { [key]: two }), name: 'it' },
            ],
            {
              conditions: [],
              default: 'it',
            },
          )
        expect(await see(second)).to.deep.equal(sees.two)
      })
    })
  }

  describe('custom_host', () => {
    /** `b` is set above, `a` at the leaf. */
    const leafOf = ({ custom_host: _own, ...rest }: Keys, extra: Keys = {}) => ({ ...rest, ...extra })
    const bare = () => leafOf(scene.leaf('a'))
    const rows: [what: string, config: () => unknown, called: string][] = [
      ['comes from above', () => ({ ...tree('single', [bare()]), custom_host: scene.hostOf('b') }), 'b'],
      [
        'comes from two nodes above',
        () => ({ ...tree('single', [tree('single', [bare()])]), custom_host: scene.hostOf('b') }),
        'b',
      ],
      [
        'of the leaf replaces that above',
        () => ({ ...tree('single', [scene.leaf('a')]), custom_host: scene.hostOf('b') }),
        'a',
      ],
    ]
    for (const [what, make, called] of rows) {
      it(what, async () => {
        expect((await scene.ask(make())).status).to.equal(200)
        expect(scene.calls()).to.deep.equal([called])
      })
    }
  })
})
