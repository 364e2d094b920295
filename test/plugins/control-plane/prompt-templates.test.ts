/** The template language of prompts: Mustache's specification 1 without lambdas, delimiters and escaping, over JSON. */
import type { Json, JsonObject } from '@gateway/contract'
import {
  type PromptKind,
  parsePromptText,
  parseTemplate,
  partialsIn,
  TemplateError,
  templatesOf,
  variablesIn,
} from '@gateway/domain'
import { expect } from 'chai'
import fc from 'fast-check'
import { createRendering, RenderError } from '#control-plane/prompts/templates/render'
import { escapeFor, renderPromptText } from '#control-plane/prompts/templates/render-text'
import { assertProperty } from '../../support/assert-property.ts'

const completion: PromptKind = { type: 'completion', isRaw: false }
const chat: PromptKind = { type: 'chat', isRaw: false }

function drain<T>(generator: Generator<void, T, void>): T {
  for (;;) {
    const step = generator.next()
    if (step.done === true) return step.value
  }
}

function render(
  text: string,
  variables: JsonObject,
  {
    kind = completion,
    partials = {},
    maxLength = 100_000,
  }: {
    kind?: PromptKind
    partials?: Record<string, string>
    maxLength?: number
  } = {},
): { value: Json; missing: string[] } {
  const parsed = new Map(Object.entries(partials).map(([name, part]) => [name, parseTemplate(part)]))
  const rendering = createRendering({ variables, partials: parsed, insert: escapeFor(kind), maxLength })
  const value = drain(renderPromptText(parsePromptText(text, kind), kind, rendering))
  return { value, missing: [...rendering.missing] }
}

describe('a prompt template', () => {
  const rows: [title: string, text: string, variables: JsonObject, expected: string][] = [
    ['inserts a value', 'Hi {{name}}!', { name: 'Ada' }, 'Hi Ada!'],
    ['does not escape HTML', '{{x}}', { x: '<b>"&' }, '<b>"&'],
    ['prints numbers and booleans as JSON', '{{a}} {{b}} {{c}}', { a: 1.5, b: false, c: 0 }, '1.5 false 0'],
    ['prints nothing for null and for missing names', '[{{a}}{{b}}]', { a: null }, '[]'],
    ['prints objects as compact JSON', '{{a}}', { a: { b: [1, 2] } }, '{"b":[1,2]}'],
    ['reads names with spaces', '{{ the name }}', { 'the name': 'x' }, 'x'],
    ['walks dotted names', '{{a.b.c}}', { a: { b: { c: 'x' } } }, 'x'],
    ['walks a string that encodes an object', '{{a.b}}', { a: '{"b":"x"}' }, 'x'],
    ['prints a string that encodes an object as it was sent', '{{a}}', { a: '{ "b": 1 }' }, '{ "b": 1 }'],
    ['repeats a section over a list', '{{#l}}<{{.}}>{{/l}}', { l: ['a', 'b'] }, '<a><b>'],
    ['repeats a section over an encoded list', '{{#l}}<{{.}}>{{/l}}', { l: '["a","b"]' }, '<a><b>'],
    ['enters an object', '{{#p}}{{name}}{{/p}}', { p: { name: 'x' }, name: 'y' }, 'x'],
    ['finds outer names inside a section', '{{#p}}{{q}}{{/p}}', { p: { a: 1 }, q: 'x' }, 'x'],
    [
      'skips falsey sections',
      '{{#a}}1{{/a}}{{#b}}2{{/b}}{{#c}}3{{/c}}{{#d}}4{{/d}}{{#e}}5{{/e}}',
      { a: false, b: 0, c: '', d: [], e: '[]' },
      '',
    ],
    ['enters texts such as "false" and "0"', '{{#a}}1{{/a}}{{#b}}2{{/b}}', { a: 'false', b: '0' }, '12'],
    ['renders an inverted section for a falsy value', '{{^a}}no{{/a}}{{^b}}no{{/b}}', { b: true }, 'no'],
    ['lets the first part of a dotted name decide', '{{#a}}{{b.c}}{{/a}}', { a: { b: {} }, b: { c: 1 } }, ''],
    ['drops comments', 'a{{! anything }}b', {}, 'ab'],
    ['removes lines with only a section tag', 'a\n{{#s}}\nb\n{{/s}}\nc', { s: true }, 'a\nb\nc'],
    ['removes lines with only a comment', 'a\n  {{! x }}\nb', {}, 'a\nb'],
    ['keeps the spaces between two tags on a line', 'a\n {{#s}} {{/s}} \nb', { s: true }, 'a\n   \nb'],
    ['keeps a line with two comments', '{{!a}}{{!b}}\nc', {}, '\nc'],
    ['removes CRLF lines with only a tag', 'a\r\n{{#s}}\r\nb\r\n{{/s}}\r\nc', { s: true }, 'a\r\nb\r\nc'],
    ['removes a multi-line comment on its own lines', 'a\n  {{! x\n  y }}  \nb', {}, 'a\nb'],
    ['keeps the line of a tag after a multi-line comment', '{{! x\n y }} {{#s}}\nb{{/s}}', { s: 1 }, ' \nb'],
    [
      'has no names of the prototype',
      '{{constructor}}{{toString}}{{a.__proto__}}{{a.length}}',
      { a: 'x' },
      '',
    ],
  ]
  for (const [title, text, variables, expected] of rows)
    it(title, () => expect(render(text, variables).value).to.equal(expected))

  it('includes partials, indented like a tag that is alone on its line', () => {
    const partials = { 'p@2': 'one {{x}}\ntwo\n', q: 'q' }
    expect(render('a\n  {{>p@2}}\nb{{>q}}', { x: 'y\nz' }, { partials }).value).to.equal(
      'a\n  one y\nz\n  two\nbq',
    )
  })

  it('keeps the text between two partials on a line', () => {
    const partials = { a: 'A', b: 'B' }
    expect(render('{{>a}} {{>b}}', {}, { partials }).value).to.equal('A B')
    expect(render('x\n {{>a}}{{>b}} \ny', {}, { partials }).value).to.equal('x\n AB \ny')
  })

  it('is parsed in linear time', () => {
    // CPU time of this process only: others may keep the machine busy.
    const before = process.cpuUsage()
    for (const line of [' {{!x}}', '{{!x}} ', '{{>a}}', ' '])
      expect(parseTemplate(line.repeat(200_000)).text).to.have.length(line.length * 200_000)
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1000).to.be.below(5000)
  })

  it('renders a variable as a partial', () => {
    expect(render('{{>>part}}', { part: 'Hi {{name}}', name: 'Ada' }).value).to.equal('Hi Ada')
  })

  it('lists missing interpolations in order of first use, without sections and null values', () => {
    const { missing } = render('{{b}}{{a}}{{b}}{{#c}}{{/c}}{{d}}{{>>e}}', { d: null })
    expect(missing).to.deep.equal(['b', 'a', 'e'])
  })

  it('lists the names and partials that it uses', () => {
    const templates = templatesOf(parsePromptText('{{a}}{{#b}}{{c.d}}{{.}}{{/b}}{{>p@1}}{{>>e}}', completion))
    expect(variablesIn(templates)).to.deep.equal(['a', 'b', 'c.d', 'e'])
    expect(partialsIn(templates)).to.deep.equal(['p@1'])
  })

  const faults: [title: string, text: string, line: number, column: number][] = [
    ['a section that is not closed', 'a\n{{#s}}b', 2, 8],
    ['a section that closes another', '{{#a}}\n{{/b}}', 2, 1],
    ['a section that was not opened', 'x{{/a}}', 1, 2],
    ['a tag that is not closed', 'a\nb {{c', 2, 3],
    ['a tag without a name', 'a{{}}', 1, 2],
    ['other delimiters', '{{=<% %>=}}', 1, 1],
    ['a tag longer than 1,000 characters', `{{${' '.repeat(200_000)}a}}`, 1, 1],
    ['a verbatim value outside raw templates', 'ab{{{x}}}', 1, 3],
  ]
  for (const [title, text, line, column] of faults)
    it(`refuses ${title}, and says where`, () => {
      expect(() => parsePromptText(text, completion))
        .to.throw(TemplateError)
        .that.includes({ line, column })
    })

  it('refuses sections nested too deeply', () => {
    const text = '{{#a}}'.repeat(100) + '{{/a}}'.repeat(100)
    expect(() => parsePromptText(text, completion)).to.throw(TemplateError, 'nested more than 50 deep')
  })

  it('refuses missing, recursive and endlessly growing partials', () => {
    expect(() => render('{{>p}}', {})).to.throw(RenderError, 'Partial "p" does not exist.')
    expect(() => render('{{>p}}', {}, { partials: { p: '{{>p}}' } })).to.throw(RenderError, '10 deep')
    expect(() => render('{{>>p}}', { p: '{{>>p}}' })).to.throw(RenderError, '10 deep')
    const names = Array.from({ length: 9 }, (_, index) => `p${index}`)
    const growing = Object.fromEntries(names.map((name, index) => [name, `{{>p${index + 1}}}`.repeat(10)]))
    expect(() => render('{{>p0}}', {}, { partials: { ...growing, p9: 'x' } })).to.throw(RenderError)
  })

  it('yields to the event loop while it renders', () => {
    const rendering = createRendering({
      variables: { l: Array(20_000).fill(1) },
      partials: new Map(),
      maxLength: 1e6,
    })
    const slices = [...rendering.render(parseTemplate('{{#l}}x{{/l}}'))]
    expect(slices.length).to.be.above(2)
  })
})

describe('a chat template', () => {
  it('is a template in each of its strings', () => {
    const text = JSON.stringify([{ role: 'user', content: [{ type: 'text', text: 'Hi {{n}}' }] }])
    expect(render(text, { n: 'a"b\n' }, { kind: chat }).value).to.deep.equal([
      { role: 'user', content: [{ type: 'text', text: 'Hi a"b\n' }] },
    ])
  })

  it('names the string with the error', () => {
    const text = JSON.stringify([{ role: 'user', content: 'Hi {{#a}}' }])
    expect(() => parsePromptText(text, chat)).to.throw(TemplateError, 'in /0/content, line 1')
  })

  it('must be an array of messages', () => {
    for (const text of ['{', '{}', '[]', '[1]', '[{}]'])
      expect(() => parsePromptText(text, chat), text).to.throw('template')
  })

  it('never lets a value break out of its string', () => {
    const text = JSON.stringify([
      { role: 'system', content: 'a {{x}} b' },
      { role: 'user', content: '{{#x}}{{.}}{{/x}}' },
    ])
    assertProperty(
      fc.property(fc.string({ unit: 'binary' }), (x) => {
        const messages = render(text, { x }, { kind: chat }).value as JsonObject[]
        expect(messages.map(({ role }) => role)).to.deep.equal(['system', 'user'])
        expect(messages[0]).to.deep.equal({ role: 'system', content: `a ${x} b` })
      }),
    )
  })

  it('escapes its values for JSON when it is raw', () => {
    const kind: PromptKind = { type: 'chat', isRaw: true }
    const text = '[{{#l}}{"role": "user", "content": "{{.}}"},{{/l}} {"role": "user", "content": "{{x}}"}]'
    assertProperty(
      fc.property(fc.string(), (x) => {
        const messages = render(text, { x, l: [x] }, { kind }).value as JsonObject[]
        expect(messages.map(({ content }) => content)).to.deep.equal([x, x])
      }),
    )
    expect(render('[{"role": {{{r}}}, "content": ""}]', { r: '"user"' }, { kind }).value).to.deep.equal([
      { role: 'user', content: '' },
    ])
  })

  it('returns a text or an error for every input, and nothing else', () => {
    const piece = fc.constantFrom(
      '{{',
      '}}',
      '{{{',
      '}}}',
      '{{#a}}',
      '{{/a}}',
      '{{^a}}',
      '{{>p}}',
      '{{!',
      '\n',
      ' ',
      'a',
      '=',
    )
    assertProperty(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.jsonValue(), (pieces, a) => {
        try {
          expect(render(pieces.join(''), { a: a as Json }, { partials: { p: 'x' } }).value).to.be.a('string')
        } catch (error) {
          expect(error instanceof TemplateError || error instanceof RenderError, String(error)).to.equal(true)
        }
      }),
      { numRuns: 500 },
    )
  })
})
