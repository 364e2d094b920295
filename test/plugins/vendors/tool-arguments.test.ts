/**
 * Checks that insert a vendor's masked texts: the arguments of a tool call must stay JSON. If the vendor's text is not
 * JSON, they are unchanged and the verdict is false; every other text is masked.
 */
import type { GuardrailPlugin, JsonObject } from '@gateway/contract'
import acuvity from '@gateway/plugin-acuvity'
import azure from '@gateway/plugin-azure'
import bedrock from '@gateway/plugin-bedrock'
import crowdstrike from '@gateway/plugin-crowdstrike-aidr'
import f5 from '@gateway/plugin-f5-guardrails'
import pangea from '@gateway/plugin-pangea'
import presidio from '@gateway/plugin-presidio'
import promptsecurity from '@gateway/plugin-promptsecurity'
import { runCheck } from '@gateway/testing'
import { expect } from 'chai'
import { answering, checkOf } from './support.ts'

const mask = (text: unknown) => (String(text).includes('22') ? '[REDACTED]' : String(text))

interface Row {
  plugin: GuardrailPlugin
  check: string
  settings: JsonObject
  parameters: JsonObject
  /** The vendor's answer to a body. */
  reply(body: JsonObject): unknown
}

const objects = (value: unknown) => value as JsonObject[]

const rows: Row[] = [
  {
    plugin: acuvity,
    check: 'scan',
    settings: { apiKey: 'token', baseUrl: 'https://apex.example' },
    parameters: { pii: true, pii_redact: true, pii_categories: ['pin'] },
    reply: ({ messages }) => ({
      extractions: (messages as string[]).map((text) => ({ data: mask(text), PIIs: { pin: 0.9 } })),
    }),
  },
  {
    plugin: azure,
    check: 'pii',
    settings: { resourceName: 'r', apiKey: 'k' },
    parameters: { redact: true },
    reply: (body) => ({
      results: {
        documents: objects((body.analysisInput as JsonObject).documents).map(({ id, text }) => ({
          id: id ?? null,
          redactedText: mask(text),
          entities: [{ category: 'PIN' }],
        })),
      },
    }),
  },
  {
    plugin: bedrock,
    check: 'guard',
    settings: { awsAccessKeyId: 'a', awsSecretAccessKey: 's', awsRegion: 'us-east-1' },
    parameters: { guardrailId: 'g', guardrailVersion: '1', redact: true },
    reply: ({ content }) => ({
      action: 'GUARDRAIL_INTERVENED',
      outputs: objects(content).map(({ text }) => ({ text: mask((text as JsonObject).text) })),
      assessments: [
        { sensitiveInformationPolicy: { piiEntities: [{ type: 'PIN', match: '22', action: 'ANONYMIZED' }] } },
      ],
    }),
  },
  {
    plugin: crowdstrike,
    check: 'guardChatCompletions',
    settings: { apiKey: 'k' },
    parameters: {},
    reply: ({ guard_input }) => ({
      status: 'Success',
      result: {
        blocked: false,
        transformed: true,
        guard_output: {
          messages: objects((guard_input as JsonObject).messages).map((message) => ({
            ...message,
            content: mask(message.content),
          })),
        },
      },
    }),
  },
  {
    plugin: f5,
    check: 'scan',
    settings: { apiKey: 'k' },
    parameters: { redact: true },
    reply: ({ input }) => ({
      result: { outcome: mask(input) === input ? 'cleared' : 'redacted', scannerResults: [] },
      redactedInput: mask(input),
    }),
  },
  {
    plugin: pangea,
    check: 'pii',
    settings: { apiKey: 'k' },
    parameters: { redact: true },
    reply: ({ data }) => ({
      status: 'Success',
      result: {
        count: 1,
        redacted_data: Object.fromEntries(
          Object.entries(data as JsonObject).map(([name, text]) => [name, mask(text)]),
        ),
      },
    }),
  },
  {
    plugin: presidio,
    check: 'anonymize',
    settings: {},
    parameters: { url: 'http://presidio.example' },
    reply: ({ text, analyzer_results: found }) =>
      found === undefined
        ? [{ entity_type: 'PIN', start: 0, end: 1, score: 0.9 }]
        : { text: mask(text), items: [] },
  },
  {
    plugin: promptsecurity,
    check: 'protectResponse',
    settings: { apiKey: 'k', apiDomain: 'd.example' },
    parameters: {},
    reply: ({ response }) => ({
      result: { response: { action: 'modify', violations: [], modified_text: mask(response) } },
    }),
  },
]

const answer = {
  choices: [
    {
      index: 0,
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: 'my pin is 22',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'pay', arguments: '{"pin":"22"}' } }],
      },
    },
  ],
}

describe('tool call arguments that a vendor masks to invalid JSON', () => {
  for (const { plugin, check, settings, parameters, reply } of rows) {
    it(`are left unchanged by ${plugin.name}.${check}, which fails and masks the rest`, async () => {
      const io = { settings, ...answering((body: unknown) => reply(body as JsonObject)) }
      const outcome = await runCheck(checkOf(plugin, check), {
        phase: 'after',
        response: answer,
        parameters,
        io,
      })
      const { message } = (outcome.body as typeof answer).choices[0] ?? {}
      expect(message?.content).to.equal('[REDACTED]')
      expect(message?.tool_calls[0]?.function.arguments).to.equal('{"pin":"22"}')
      expect(outcome.verdict).to.equal(false)
    })
  }
})
