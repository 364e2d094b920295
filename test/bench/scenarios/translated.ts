/**
 * The cost of translation: a stream of 100 chunks in the format of Anthropic Messages compared with the same number
 * forwarded unchanged, both by this gateway; and a request body of 1 MB (a long conversation with images) in each
 * dialect.
 */
import { performance } from 'node:perf_hooks'
import type { CallContext, Dialect, JsonObject } from '@gateway/contract'
import { anthropicDialect, cohereDialect, converseDialect, geminiDialect } from '@gateway/provider-kit'
import { type Bench, type Scenario, withServers } from '../bench.ts'
import { chatBody, EXPECT_LONG, EXPECT_TRANSLATED } from '../requests.ts'
import { cpuMicroseconds, medians, perSecond } from '../results.ts'
import { runRounds } from '../rounds.ts'
import { makeRow, type Row } from '../rows.ts'
import { median } from '../statistics.ts'
import { LONG_MODEL, TRANSLATED_MODEL } from '../targets/wire-data.ts'

const NAME = 'translated'
const MEGABYTE = 1_048_576

async function run(bench: Bench): Promise<Row[]> {
  return await withServers(bench, ['relay', 'gateway'], {
    use: async (servers) => {
      const shared = { servers, connections: 64 } as const
      const passed = await runRounds(bench, {
        ...shared,
        name: `${NAME}: passed through`,
        body: chatBody({ model: LONG_MODEL, stream: true }),
        expect: EXPECT_LONG,
        config: 'plain',
      })
      const translations = await runRounds(bench, {
        ...shared,
        servers: servers.filter(({ name }) => name === 'gateway'),
        name: `${NAME}: translated`,
        body: chatBody({ model: TRANSLATED_MODEL, stream: true }),
        expect: EXPECT_TRANSLATED,
        config: 'translated',
      })
      const through = medians(passed, cpuMicroseconds).gateway ?? Number.NaN
      const gateway = medians(translations, cpuMicroseconds).gateway ?? Number.NaN
      return [
        makeRow({
          scenario: NAME,
          figure: '100 chunks of Anthropic Messages translated (the relay passes 100 through), rate, c=64',
          unit: 'streams/s',
          values: { ...medians(passed, perSecond), ...medians(translations, perSecond) },
          ratioTo: { relay: 0.45 },
        }),
        makeRow({
          scenario: NAME,
          figure: '100 chunks passed through, CPU',
          unit: 'µs',
          values: { gateway: through },
        }),
        makeRow({
          scenario: NAME,
          figure: '100 chunks translated, CPU (at most twice that)',
          unit: 'µs',
          values: { gateway },
          atMost: Math.round(2 * through),
        }),
        ...Object.entries(dialects).map(([name, dialect]) =>
          makeRow({
            scenario: NAME,
            figure: `request of 1 MB into ${name}, CPU`,
            unit: 'ms',
            values: { gateway: requestCpuMs(dialect) },
            atMost: 15,
          }),
        ),
      ]
    },
  })
}

const dialects: Readonly<Record<string, Dialect>> = {
  'Anthropic Messages': anthropicDialect,
  'Gemini generateContent': geminiDialect,
  'Bedrock Converse': converseDialect,
  'Cohere chat': cohereDialect,
}

/** The median of some translations in this process, written as JSON again, in milliseconds of processor time. */
function requestCpuMs(dialect: Dialect): number {
  const body = longConversation()
  const context: CallContext = {
    endpoint: 'chatComplete',
    settings: { provider: 'bench' },
    request: body,
    strict: true,
    includeUsage: false,
    files: [],
    now: () => performance.now(),
    id: (prefix) => `${prefix}1`,
  }
  const times = Array.from({ length: 40 }, () => {
    const before = process.cpuUsage()
    JSON.stringify(dialect.request(body, context))
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return median(times.slice(10))
}

/** Turns of text with an image each, together about 1 MB. */
function longConversation(): JsonObject {
  const image = `data:image/png;base64,${'iVBORw0KGgo'.repeat(4000)}`
  const text = 'Tell me what is to be seen in this picture, and how it differs from the one before. '.repeat(
    40,
  )
  const turns = Math.ceil(MEGABYTE / (image.length + 2 * text.length))
  const messages = Array.from({ length: turns }, () => [
    {
      role: 'user',
      content: [
        { type: 'text', text },
        { type: 'image_url', image_url: { url: image } },
      ],
    },
    { role: 'assistant', content: text },
  ]).flat()
  return {
    model: 'bench-model',
    messages: [...messages, { role: 'user', content: 'And now?' }],
    max_tokens: 256,
  }
}

export const translated: Scenario = { name: NAME, run }
