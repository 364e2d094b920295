/** Prompt templates: parsed, searched for names, rendered. */
import type { JsonObject } from '@gateway/contract'
import {
  type PromptKind,
  PromptTextError,
  parsePromptText,
  partialsIn,
  TemplateError,
  templatesOf,
  variablesIn,
} from '@gateway/domain'
import { expect } from 'chai'
import fc from 'fast-check'
import { createRendering, RenderError } from '#control-plane/prompts/templates/render'
import { escapeFor, renderPromptText } from '#control-plane/prompts/templates/render-text'
import { damaged, jsonOf } from '../arbitraries.ts'
import { defineTarget } from '../target.ts'

const names = ['a', 'b', 'a.b', '.', 'the name', '__proto__', 'constructor.name', 'length', '']
const tag = fc
  .tuple(fc.constantFrom('', '#', '^', '/', '>', '>>', '&', '{', '!', '=', ' # '), fc.constantFrom(...names))
  .map(([sign, name]) => (sign === '{' ? `{{{${name}}}}` : `{{${sign}${name}}}`))
const piece = fc.oneof(
  { weight: 4, arbitrary: tag },
  fc.constantFrom(
    '{{',
    '}}',
    '{{{',
    '}}}',
    '\n',
    ' ',
    '\r\n',
    '{{#a}}{{.}}{{/a}}',
    '{{#a}}{{>p}}{{/a}}',
    '"',
    '\\',
    ',',
  ),
  fc.string({ unit: 'binary', maxLength: 5 }),
)
const template = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(''))
const messages = fc
  .array(
    fc.record({ role: fc.constantFrom('user', '{{a}}'), content: fc.oneof(template, fc.array(template)) }),
  )
  .map((list) => JSON.stringify(list))
const kinds: readonly PromptKind[] = [
  { type: 'completion', isRaw: false },
  { type: 'completion', isRaw: true },
  { type: 'chat', isRaw: false },
  { type: 'chat', isRaw: true },
]
const maxLength = 20_000

export const promptTemplate = defineTarget({
  name: 'prompt-template',
  input: fc.record({
    text: fc.oneof(template, damaged(messages)),
    partial: template,
    kind: fc.constantFrom(...kinds),
    variables: jsonOf(names, fc.constantFrom<unknown>('{"b":1}', '[1,2]', '{{a}}', 'x'), 3).map(
      (value) => ({ a: value, b: value }) as JsonObject,
    ),
  }),
  read({ text, partial, kind, variables }) {
    const prompt = parsePromptText(text, kind)
    const part = parsePromptText(partial, { type: 'completion', isRaw: true })
    const partials = new Map(templatesOf(part).map((found) => ['p', found]))
    const rendering = createRendering({ variables, partials, insert: escapeFor(kind), maxLength })
    const steps = renderPromptText(prompt, kind, rendering)
    let pauses = 0
    for (let step = steps.next(); ; step = steps.next(), pauses += 1)
      if (step.done === true) return { prompt, value: step.value, pauses }
  },
  mayThrow(error) {
    if (error instanceof TemplateError)
      return error.line >= 1 && error.column >= 1 && error.offset <= error.text.length
    return error instanceof PromptTextError || error instanceof RenderError
  },
  check({ prompt, value, pauses }, { kind, text }) {
    expect(pauses).to.be.at.most(201)
    const templates = templatesOf(prompt)
    for (const name of [...variablesIn(templates), ...partialsIn(templates)]) expect(name).to.be.a('string')
    if (kind.type === 'completion') expect(value).to.be.a('string')
    else expect(value).to.be.an('array')
    if (typeof value === 'string') expect(value.length).to.be.at.most(maxLength)
    if (kind.type === 'chat' && !kind.isRaw) expect(value).to.have.length(JSON.parse(text).length)
  },
})
