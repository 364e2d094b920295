/** The queries of conditional routing: every operator over metadata, body, headers and path. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { openScene, tree } from '../../support/scene.ts'

interface Row {
  query: unknown
  holds: boolean
}

const yes = (query: unknown): Row => ({ query, holds: true })
const no = (query: unknown): Row => ({ query, holds: false })
const plan = (condition: unknown) => ({ 'metadata.plan': condition })
const level = (condition: unknown) => ({ 'metadata.level': condition })
const gone = (condition: unknown) => ({ 'metadata.gone': condition })

/** The data that the queries match. */
const metadata = { plan: 'pro', level: '10', empty: '', 'a.b': 'dotted', version: '1.9' }
const body = chat('hello', {
  temperature: 0.5,
  user: 'ann',
  stop: ['x', 'y'],
  parallel_tool_calls: false,
  seed: null,
  extra: { list: [{ n: 1 }, { n: 2 }], flag: true },
})

const groups: Record<string, Row[]> = {
  'a bare value': [
    yes(plan('pro')),
    no(plan('free')),
    no(gone('pro')),
    yes({ 'params.temperature': 0.5 }),
    no({ 'params.temperature': '0.5' }),
    yes({ 'params.parallel_tool_calls': false }),
    yes({ 'params.seed': null }),
    no(gone(null)),
    yes({ 'params.stop': ['x', 'y'] }),
    yes({ 'params.extra.list.0': { n: 1 } }),
  ],
  '$eq and $ne': [
    yes(plan({ $eq: 'pro' })),
    no(plan({ $eq: 'free' })),
    no(gone({ $eq: 'pro' })),
    no(plan({ $ne: 'pro' })),
    yes(plan({ $ne: 'free' })),
    yes(gone({ $ne: 'pro' })),
  ],
  'ordering of numbers and numeric text': [
    yes(level({ $gt: 9 })),
    yes(level({ $gt: '9' })),
    no(level({ $gt: 10 })),
    yes(level({ $gte: 10 })),
    yes(level({ $gte: '10.0' })),
    no(level({ $gte: 10.5 })),
    yes(level({ $lt: 11 })),
    no(level({ $lt: 9 })),
    yes(level({ $lte: '10' })),
    no(level({ $lte: '9' })),
    yes({ 'params.temperature': { $lt: '0.75' } }),
    yes(level({ $gt: 5, $lt: 20 })),
    no(level({ $gt: 5, $lt: 8 })),
  ],
  'ordering of text': [
    yes(plan({ $gt: 'free' })),
    no(plan({ $lt: 'free' })),
    yes(plan({ $gte: 'pro', $lte: 'pro' })),
    yes({ 'metadata.version': { $lt: '1.9.1' } }),
    no(gone({ $lt: 'z' })),
    no(gone({ $gte: '' })),
    no({ 'params.extra': { $gt: '' } }),
  ],
  '$in and $nin': [
    yes(plan({ $in: ['free', 'pro'] })),
    no(plan({ $in: ['free'] })),
    no(plan({ $in: [] })),
    no(gone({ $in: ['pro'] })),
    no(plan({ $nin: ['pro'] })),
    yes(plan({ $nin: ['free'] })),
    yes(gone({ $nin: ['pro'] })),
  ],
  $regex: [
    yes(plan({ $regex: 'r' })),
    yes(plan({ $regex: '^p.o$' })),
    no(plan({ $regex: '^r' })),
    no(plan({ $regex: 'PRO' })),
    yes(plan({ $regex: '(?i)PRO' })),
    no(gone({ $regex: '.*' })),
    yes({ 'metadata.empty': { $regex: '^$' } }),
  ],
  $exists: [
    yes(plan({ $exists: true })),
    no(plan({ $exists: false })),
    yes(gone({ $exists: false })),
    no(gone({ $exists: true })),
    yes({ 'params.seed': { $exists: true } }),
    yes({ 'metadata.empty': { $exists: true } }),
  ],
  '$and, $or and $nor': [
    yes({ $and: [plan('pro'), level('10')] }),
    no({ $and: [plan('pro'), level('11')] }),
    yes({ $or: [plan('free'), level('10')] }),
    no({ $or: [plan('free'), level('11')] }),
    yes({ $nor: [plan('free'), level('11')] }),
    no({ $nor: [plan('free'), level('10')] }),
    yes({ $or: [{ $and: [plan('free')] }, { $nor: [plan('free')] }] }),
  ],
  'all keys together': [
    yes({ ...plan('pro'), ...level('10') }),
    no({ ...plan('pro'), ...level('11') }),
    no({ ...plan('pro'), $or: [level('11')] }),
    yes({}),
  ],
  '$not at a field and at the top': [
    yes(plan({ $not: { $eq: 'free' } })),
    no(plan({ $not: { $regex: '^p' } })),
    yes(level({ $not: { $gt: 10 } })),
    yes({ $not: plan('free') }),
    no({ $not: plan('pro') }),
    yes({ $not: { $or: [plan('free'), level('11')] } }),
    no(gone({ $not: { $eq: 'pro' } })),
    yes({ $not: gone('pro') }),
  ],
  'metadata by whole names': [yes({ 'metadata.a.b': 'dotted' }), no({ 'metadata.a': { $exists: true } })],
  'params at any depth': [
    yes({ 'params.messages.0.role': 'user' }),
    yes({ 'params.messages.0.content': { $regex: 'ell' } }),
    yes({ 'params.extra.list.1.n': { $gte: 2 } }),
    yes({ 'params.extra.flag': true }),
    no({ 'params.messages.1.role': { $exists: true } }),
    no({ 'params.messages.-1.role': { $exists: true } }),
    no({ 'params.user.0': { $exists: true } }),
  ],
  'headers in any case, and none that is scrubbed': [
    yes({ 'headers.x-team': 'red' }),
    yes({ 'headers.X-Team': { $eq: 'red' } }),
    ...['cookie', 'authorization', 'x-forwarded-for', 'x-real-ip', 'via', 'cf-ray', 'x-gateway-api-key'].map(
      (name) => no({ [`headers.${name}`]: { $exists: true } }),
    ),
  ],
  'the path': [
    yes({ 'url.pathname': '/v1/chat/completions' }),
    yes({ 'url.pathname': { $regex: 'chat' } }),
    no({ 'url.pathname': { $regex: 'embeddings' } }),
  ],
  'no prototype': [
    no({ 'params.constructor': { $exists: true } }),
    no({ 'params.__proto__': { $exists: true } }),
    no({ 'params.messages.constructor.name': { $exists: true } }),
    no({ 'metadata.toString': { $exists: true } }),
    no({ 'metadata.__proto__': { $exists: true } }),
    no({ 'headers.constructor': { $exists: true } }),
    no({ 'headers.__proto__': { $exists: true } }),
  ],
}

describe('a query', () => {
  const scene = openScene()
  const ask = (query: unknown) =>
    scene.ask(
      tree('conditional', [scene.leaf('yes', { name: 'yes' }), scene.leaf('no', { name: 'no' })], {
        conditions: [{ query, then: 'yes' }],
        default: 'no',
      }),
      {
        body,
        headers: {
          'x-gateway-metadata': JSON.stringify(metadata),
          'x-team': 'red',
          cookie: 'a=b',
          'x-forwarded-for': '10.0.0.1',
          'x-real-ip': '10.0.0.1',
          via: '1.1 proxy',
          'cf-ray': 'x',
          authorization: 'Bearer something',
        },
      },
    )

  for (const [group, rows] of Object.entries(groups)) {
    describe(group, () => {
      for (const { query, holds } of rows) {
        it(`${JSON.stringify(query)} is ${holds}`, async () => {
          const { status } = await ask(query)
          expect(status).to.equal(200)
          expect(scene.calls()).to.deep.equal([holds ? 'yes' : 'no'])
        })
      }
    })
  }
})
