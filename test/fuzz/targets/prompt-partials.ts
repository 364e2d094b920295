/** Prompts whose partials include each other in every way: loaded, bounded and rendered, or refused. */
import type { JsonObject } from '@gateway/contract'
import {
  type PromptKind,
  PromptTextError,
  parsePartialText,
  parsePromptText,
  splitReference,
  TemplateError,
  templatesOf,
} from '@gateway/domain'
import { expect } from 'chai'
import fc from 'fast-check'
import { loadPartials, PartialError } from '#control-plane/prompts/templates/partials'
import { createRendering, deepestPartials, RenderError } from '#control-plane/prompts/templates/render'
import { escapeFor, renderPromptText } from '#control-plane/prompts/templates/render-text'
import { defineTarget } from '../target.ts'

const slugs = ['p', 'q', 'r', 's', 't', 'none']
const suffixes = ['', '@1', '@2', '@latest', '@', '@99', ' @1 ']
const include = fc
  .tuple(fc.constantFrom(...slugs), fc.constantFrom(...suffixes))
  .map(([slug, suffix]) => `{{>${slug}${suffix}}}`)
const piece = fc.oneof(
  { weight: 4, arbitrary: include },
  fc.constantFrom('{{>>a}}', '{{#a}}', '{{/a}}', '{{#a}}{{>p}}{{/a}}', '{{a}}', '\n', '  ', 'x', '{{! c }}'),
)
const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''))
const maxLength = 20_000

interface Input {
  root: string
  /** Texts of two versions of each. */
  partials: Record<string, [string, string]>
  isChat: boolean
  value: unknown
}

const kindOf = ({ isChat }: Input): PromptKind => ({ type: isChat ? 'chat' : 'completion', isRaw: false })
const writtenOf = ({ root, isChat }: Input): string =>
  isChat ? JSON.stringify([{ role: 'user', content: root }]) : root

/** Finds partials like the store: the second version is the latest, the first one is published. */
function finderOf(partials: Input['partials']) {
  return async (reference: string) => {
    const { name, version } = splitReference(reference)
    const versions = Object.hasOwn(partials, name) ? partials[name] : undefined
    const number = version === null ? 1 : version === 'latest' ? 2 : Number(version)
    const found = versions?.[number - 1]
    return found === undefined ? null : { key: `${name}@${number}`, template: parsePartialText(found) }
  }
}

export const promptPartials = defineTarget({
  name: 'prompt-partials',
  input: fc.record({
    root: text,
    partials: fc.dictionary(fc.constantFrom(...slugs.slice(0, -1)), fc.tuple(text, text)),
    isChat: fc.boolean(),
    value: fc.constantFrom<unknown>('{{>>a}}', '{{>p}}', 'v', '["x"]', null, ['y']),
  }),
  async read(input: Input) {
    const kind = kindOf(input)
    const prompt = parsePromptText(writtenOf(input), kind)
    const { templates, height } = await loadPartials(templatesOf(prompt), finderOf(input.partials))
    const rendering = createRendering({
      variables: { a: input.value } as JsonObject,
      partials: templates,
      insert: escapeFor(kind),
      maxLength,
    })
    const steps = renderPromptText(prompt, kind, rendering)
    for (let step = steps.next(), pauses = 0; ; step = steps.next(), pauses += 1) {
      expect(pauses).to.be.at.most(201)
      if (step.done === true) return { value: step.value, height }
    }
  },
  mayThrow(error) {
    return (
      error instanceof TemplateError ||
      error instanceof PartialError ||
      error instanceof PromptTextError ||
      error instanceof RenderError
    )
  },
  check({ value, height }, { isChat }) {
    expect(height).to.be.at.most(deepestPartials)
    if (isChat) expect(value).to.be.an('array').with.length(1)
    else expect(value).to.be.a('string')
    expect(JSON.stringify(value).length).to.be.at.most(2 * maxLength + 100)
  },
})
