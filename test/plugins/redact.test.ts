/** Redaction and restoring: by `default.redact`, `default.pii` and `default.secrets`, in both phases of a request. */
import type { Check, JsonObject } from '@gateway/contract'
import plugin from '@gateway/plugin-default'
import { createTestIo, runCheck } from '@gateway/testing'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../support/assert-property.ts'
import { answers, model, user } from './bodies.ts'

const checkOf = (id: string) => plugin.checks.find((candidate) => candidate.id === id) as Check
const redacting: Record<string, JsonObject> = {
  pii: { redact: true, restore: true },
  secrets: { redact: true, restore: true },
  redact: {
    rules: [{ category: 'email' }, { category: 'phone' }, { pattern: 'A+' }],
    applyToRole: 'all',
    restore: true,
  },
}

/** Pieces of texts: findings, placeholders that a caller wrote, and characters that JSON escapes. */
const piece = fc.oneof(
  fc.constantFrom(
    ...['bob@example.com', 'eve@example.org', '+1 212 555 0123', '4111 1111 1111 1111', '123-45-6789'],
    ...[
      'postgres://app:s3cr3tpw@db.example.com/app',
      ['AKIA', 'QRSTUVWX', 'YZ234567'].join(''),
      'AAAA',
      'AA',
    ],
    ...[
      '[EMAIL_1]',
      '[EMAIL_2]',
      '[AWS_1]',
      '[REDACTED_1]',
      '[',
      ']',
      '"',
      '\\',
      '\n',
      '😀',
      'ö',
      ', ',
      '. ',
    ],
  ),
  fc.string({ maxLength: 6 }),
)
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(' '))
const message = fc.oneof(
  text.map((content) => ({ role: 'user', content })),
  text.map((content) => ({ role: 'assistant', content })),
  text.map((written) => ({
    role: 'user',
    content: [
      { type: 'image_url', image_url: { url: 'https://images.example/bob@example.com' } },
      { type: 'text', text: written },
    ],
  })),
  fc
    .record({ note: text, other: fc.array(fc.oneof(text, fc.nat(), fc.constant(4111111111111111))) })
    .map((given) => ({
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: JSON.stringify(given) } }],
    })),
)
const conversation = fc
  .array(message, { minLength: 1, maxLength: 4 })
  .map((messages): JsonObject => ({ model: 'bob@example.com', messages, user: 'bob@example.com' }))

/** The model's answer: the messages as they reached it, one per choice. */
const repeated = ({ messages }: JsonObject): JsonObject => ({
  id: 'bob@example.com',
  choices: (messages as JsonObject[]).map((said, index) => ({
    index,
    message: { ...said, role: 'assistant' },
  })),
})

describe('redaction', () => {
  for (const [id, parameters] of Object.entries(redacting)) {
    it(`of ${id} is restored when the model repeats the text`, async () => {
      await assertProperty(
        fc.asyncProperty(conversation, async (request) => {
          const io = createTestIo()
          const before = await runCheck(checkOf(id), { parameters, request, io })
          expect(before.verdict).to.equal(true)
          const response = repeated(before.body)
          const after = await runCheck(checkOf(id), {
            parameters: { restore: true },
            phase: 'after',
            request,
            response,
            io,
          })
          expect(after.verdict).to.equal(true)
          expect(after.body).to.deep.equal(repeated(request))
        }),
      )
    })

    it(`of ${id} leaves no match, and changes only texts`, async () => {
      await assertProperty(
        fc.asyncProperty(conversation, async (request) => {
          const { body, transformed } = await runCheck(checkOf(id), { parameters, request })
          if (id !== 'redact') {
            const again = await runCheck(checkOf(id), { request: body })
            expect(again.verdict, JSON.stringify(again.data)).to.equal(true)
          }
          const paths =
            transformed !== undefined && 'texts' in transformed ? [...transformed.texts.keys()] : []
          expect(withoutTexts(body, paths)).to.deep.equal(withoutTexts(request, paths))
        }),
      )
    })
  }

  it('uses one placeholder per value, in all texts and all checks of a request', async () => {
    const io = createTestIo()
    const first = await runCheck(checkOf('pii'), {
      parameters: { redact: true, categories: ['email'] },
      request: {
        model,
        messages: [user('a@example.com b@example.com'), user('b@example.com c@example.com')],
      },
      io,
    })
    const second = await runCheck(checkOf('redact'), {
      parameters: { rules: [{ category: 'email' }] },
      text: 'c@example.com d@example.com a@example.com',
      io,
    })
    expect(first.text).to.equal('[EMAIL_1] [EMAIL_2]\n[EMAIL_2] [EMAIL_3]')
    expect(second.text).to.equal('[EMAIL_3] [EMAIL_4] [EMAIL_1]')
  })

  it('starts numbering again for every request', async () => {
    for (const address of ['a@example.com', 'b@example.com']) {
      const { text: redacted } = await runCheck(checkOf('pii'), {
        parameters: { redact: true },
        text: address,
      })
      expect(redacted).to.equal('[EMAIL_1]')
    }
  })

  it('is restored only when the request check allowed it', async () => {
    const io = createTestIo()
    await runCheck(checkOf('pii'), { parameters: { redact: true }, text: 'bob@example.com', io })
    const after = await runCheck(checkOf('pii'), {
      parameters: { restore: true },
      phase: 'after',
      text: '[EMAIL_1]',
      io,
    })
    expect(after.text).to.equal('[EMAIL_1]')
    expect(io.shared.size).to.equal(0)
  })

  it("keeps the redacted values in the request's shared state when they may be restored", async () => {
    const io = createTestIo()
    await runCheck(checkOf('pii'), { parameters: redacting.pii ?? {}, text: 'bob@example.com', io })
    expect(io.shared.size).to.equal(1)
  })

  it('can be restored by any of the checks', async () => {
    const io = createTestIo()
    await runCheck(checkOf('pii'), { parameters: redacting.pii ?? {}, text: 'bob@example.com', io })
    const after = await runCheck(checkOf('redact'), {
      parameters: { restore: true },
      phase: 'after',
      text: 'To [EMAIL_1]',
      io,
    })
    expect(after.text).to.equal('To bob@example.com')
    expect(after.data).to.deep.equal({ restored: 1 })
  })

  it('escapes a value that is restored in the arguments of a tool call', async () => {
    const io = createTestIo()
    const parameters = { rules: [{ pattern: 'say "[^"]*"' }], restore: true }
    await runCheck(checkOf('redact'), { parameters, text: 'say "hi\\there"', io })
    const call = (written: string) => ({
      choices: [{ message: { tool_calls: [{ id: 'c', function: { name: 'f', arguments: written } }] } }],
    })
    const after = await runCheck(checkOf('redact'), {
      parameters: { restore: true },
      phase: 'after',
      response: call('{"text": "[REDACTED_1]!", "n": 1}'),
      io,
    })
    expect(after.body).to.deep.equal(call('{"text": "say \\"hi\\\\there\\"!", "n": 1}'))
  })

  it('redacts values that the model generates, and restores values that the caller sent', async () => {
    const io = createTestIo()
    const parameters = { redact: true, restore: true }
    await runCheck(checkOf('pii'), { parameters, text: 'I am bob@example.com', io })
    const after = await runCheck(checkOf('pii'), {
      parameters,
      phase: 'after',
      response: answers('Dear [EMAIL_1], write to eve@example.org'),
      io,
    })
    expect(after.body).to.deep.equal(answers('Dear bob@example.com, write to [EMAIL_2]'))
    expect(after.verdict).to.equal(true)
  })
})

/** A body in which the texts at these pointers are all the same. */
function withoutTexts(body: JsonObject, paths: readonly string[]): JsonObject {
  const copy = structuredClone(body)
  for (const path of paths) {
    const keys = path.slice(1).split('/')
    const last = keys.pop() ?? ''
    const parent = keys.reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], copy)
    const holder = parent as Record<string, unknown>
    holder[last] = ''
  }
  return copy
}
