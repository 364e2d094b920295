/**
 * Renders templates in slices: a generator that pauses every few thousand steps, so that no template blocks the event
 * loop. Errors: {@link RenderError} for a missing partial, partials nested more than 10 deep, and too much output or
 * too many steps.
 */
import type { JsonObject } from '@gateway/contract'
import { parseTemplate, type Template, TemplateError, type TemplateNode } from '@gateway/domain'
import { type Context, createValues, printed } from './context.ts'

export class RenderError extends Error {
  override readonly name = 'RenderError'
}

export interface RenderOptions {
  variables: JsonObject
  /** By the reference in the template: `slug`, `slug@2`. */
  partials: ReadonlyMap<string, Template>
  /** How a value is inserted; unchanged by default. */
  insert?: (text: string) => string
  /** For all texts of one call together, in characters. */
  maxLength: number
}

/** State shared by all texts of one call. */
export interface Rendering {
  /** Renders one template; yields between slices. */
  render(template: Template): Generator<void, string, void>
  /** Names of values that were missing, in order of first use. */
  missing: ReadonlySet<string>
}

const mostSteps = 1_000_000
const stepsPerSlice = 5_000
export const deepestPartials = 10

interface RenderPlace {
  context: Context
  depth: number
  out: string[]
}

export function createRendering(options: RenderOptions): Rendering {
  const { insert = (text: string) => text, partials, maxLength } = options
  const { lookUp, itemsOf } = createValues()
  const missing = new Set<string>()
  const parsed = new Map<string, Template>()
  let steps = 0
  let nextPause = stepsPerSlice
  let length = 0

  function* write(
    nodes: readonly TemplateNode[],
    { context, depth, out }: RenderPlace,
  ): Generator<void, void, void> {
    for (const node of nodes) {
      step()
      if (steps >= nextPause) {
        nextPause = steps + stepsPerSlice
        yield
      }
      switch (node.kind) {
        case 'text':
          add(node.text, out)
          break
        case 'value':
          add(textOfValue(node, context), out)
          break
        case 'section':
          yield* section(node, { context, depth, out })
          break
        case 'partial':
          yield* include(findPartial(node.name), node.indent, { context, depth, out })
          break
        case 'variable-partial': {
          const text = lookUp(node.name, context)
          if (text === undefined) missing.add(node.name)
          else yield* include(parsedText(printed(text), node.name), node.indent, { context, depth, out })
        }
      }
    }
  }

  function step(): void {
    steps += 1
    if (steps > mostSteps) throw new RenderError(`Rendering takes more than ${mostSteps} steps.`)
  }

  function add(text: string, out: string[]): void {
    length += text.length
    if (length > maxLength) throw new RenderError(`The rendered text is longer than ${maxLength} characters.`)
    out.push(text)
  }

  function textOfValue({ name, isVerbatim }: TemplateNode & { kind: 'value' }, context: Context): string {
    const value = lookUp(name, context)
    if (value === undefined) missing.add(name)
    const text = printed(value)
    return isVerbatim ? text : insert(text)
  }

  function* section(
    { name, isInverted, nodes }: TemplateNode & { kind: 'section' },
    { context, depth, out }: RenderPlace,
  ): Generator<void, void, void> {
    const items = itemsOf(lookUp(name, context))
    if (isInverted) {
      if (items.length === 0) yield* write(nodes, { context, depth, out })
      return
    }
    for (const value of items) {
      step()
      yield* write(nodes, { context: { value, outer: context }, depth, out })
    }
  }

  function findPartial(name: string): Template {
    const partial = partials.get(name)
    if (partial === undefined) throw new RenderError(`Partial "${name}" does not exist.`)
    return partial
  }

  function parsedText(text: string, name: string): Template {
    const known = parsed.get(text)
    if (known !== undefined) return known
    if (text.length > maxLength)
      throw new RenderError(`The rendered text is longer than ${maxLength} characters.`)
    try {
      const template = parseTemplate(text)
      parsed.set(text, template)
      return template
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      throw new RenderError(`Variable "${name}" is not a template: ${error.message}.`)
    }
  }

  function* include(
    template: Template,
    indent: string,
    { context, depth, out }: RenderPlace,
  ): Generator<void, void, void> {
    if (depth === deepestPartials)
      throw new RenderError(`Partials are nested more than ${deepestPartials} deep.`)
    const nodes =
      indent === '' ? template.nodes : parsedText(indented(template.text, indent), 'partial').nodes
    yield* write(nodes, { context, depth: depth + 1, out })
  }

  return {
    missing,
    *render({ nodes }) {
      const out: string[] = []
      yield* write(nodes, { context: { value: options.variables, outer: null }, depth: 0, out })
      return out.join('')
    },
  }
}

/** When a partial's tag is alone on an indented line, each line of the partial is indented like the tag. */
const indented = (text: string, indent: string): string => text.replace(/^(?=[\s\S])/gm, indent)
