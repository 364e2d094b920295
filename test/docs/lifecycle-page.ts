/** The page about the lifecycle of a request, generated from `core/pipeline.ts` and the descriptions of the stages. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Step {
  /** A stage's file, without `.ts`; null for anything that is not a stage. */
  file: string | null
  name: string
  inwards: string
  outwards: string
  /** The requests or config nodes that use it; empty for all. */
  when: string
}

/** Lists in the order in which requests run them. */
const titles: Readonly<Record<string, string>> = {
  createEdge: 'Every request',
  openRoute: 'Routes without a caller',
  callerRoute: 'Routes with a caller',
  inference: 'Inference',
  node: 'Inference: each config node',
  attempt: 'Inference: each attempt at a target',
  targetCall: 'Inference: the call within an attempt',
  storedResponse: 'Stored responses',
  storedResponseNode: 'Stored responses: each config node',
  removalNode: 'Removal of a stored response: each config node',
  providerObject: 'Files and batches at a provider',
  objectNode: 'Files and batches: each config node',
  providerSession: 'Sessions',
  sessionNode: 'Sessions: each config node',
  config: 'The config alone',
}

/** Members of a compiled config node that a config spells in another way. */
const settings: Readonly<Record<string, string>> = {
  overrideParams: 'override_params',
  before: 'input_guardrails',
  after: 'output_guardrails',
  breaker: 'cb_config',
}

const separated = (name: string, separator: string): string =>
  name.replace(/[A-Z]/g, (letter) => separator + letter.toLowerCase())

/** The text between the bracket at `open` and the one that closes it. */
function inBrackets(text: string, open: number): string {
  let depth = 0
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1
    if (text[at] === ')') depth -= 1
    if (depth === 0) return text.slice(open + 1, at)
  }
  throw new Error(`A bracket is not closed: ${text.slice(open, open + 80)}`)
}

/** When a stage is used: what its condition asks for, and the comment on the condition. */
function conditionOf(name: string, source: string): string {
  const comment = new RegExp(`/\\*\\* ([^*]+?)\\.? \\*/\\nconst ${name} =`).exec(source)?.[1]
  const condition = askedBy(name, source)
  return comment === undefined
    ? condition
    : `${condition}; ${comment.slice(0, 1).toLowerCase()}${comment.slice(1)}`
}

/** A condition is a function whose first member of a config node, or of an endpoint, is the setting that it looks for. */
function askedBy(name: string, source: string): string {
  const trait = new RegExp(`const ${name} = \\(\\{ endpoint \\}: \\w+\\) => endpoint\\.(\\w+)`).exec(
    source,
  )?.[1]
  if (trait !== undefined) return `for endpoints with \`${trait}\``
  const member = new RegExp(`const ${name} = \\(\\{ (\\w+)[^}]*\\}: ConfigNode\\)`).exec(source)?.[1]
  if (member === undefined) {
    const word = name.startsWith('has') ? 'with' : 'if'
    return `${word} ${separated(name.replace(/^(?:is|has)(?=[A-Z])/, ''), ' ').trim()}`
  }
  return member === 'targets' ? 'with targets' : `with \`${settings[member] ?? member}\``
}

/** The part of a comment such as `in: …; out: …` about one direction. */
const directionOf = (comment: string, direction: 'in' | 'out'): string =>
  comment
    .split(/; (?=in: |out: )/)
    .find((part) => part.startsWith(`${direction}: `))
    ?.slice(direction.length + 2)
    .trim() ?? ''

function stepsOf(body: string, root: string, source: string): Step[] {
  const found = [...body.matchAll(/\.(use|forNodes|when|endFor|end|then)(?:<[^(]*>)?(?=\()/g)]
  return found.map(({ 0: word, 1: kind = '', index }) => {
    const written = inBrackets(body, index + word.length)
    const after = body.slice(index + word.length + written.length + 2)
    const comment = /^ *\/\/ *(.*)/.exec(after)?.[1] ?? ''
    const words = written.split(',').map((part) => part.trim().replace(/\(.*$/, ''))
    const [condition, stage] = ['forNodes', 'when', 'endFor'].includes(kind) ? words : [null, words[0]]
    const name = (stage ?? '').replace(/^create(?=[A-Z])/, '').replace(/Over$/, '')
    const file = separated(name, '-').replace(/^-/, '')
    const isStage = existsSync(join(root, 'core/stages', `${file}.ts`))
    return {
      file: isStage ? file : null,
      name: isStage
        ? file
        : (titles[name] ?? (/^\w+$/.test(name) ? separated(name, ' ') : "the route's own code")),
      inwards: directionOf(comment, 'in'),
      outwards: directionOf(comment, 'out'),
      when: condition == null ? '' : conditionOf(condition, source),
    }
  })
}

/** The description at the head of a stage's file, as one line: its effect and its errors. */
function descriptionOf(root: string, file: string): { text: string; errors: string } {
  const source = readFileSync(join(root, 'core/stages', `${file}.ts`), 'utf8')
  const block = /\/\*\*([\s\S]*?)\*\//.exec(source)?.[1] ?? ''
  const line = block.replace(/\s*\n \* ?/g, ' ').trim()
  const [text = '', errors = ''] = line.split(/\s*Errors: (?=[`\d])/)
  return { text, errors: errors.replace(/\.$/, '') }
}

/** A stage is commented where it is listed first. */
function withKnown(step: Step, known: Map<string, Step>): Step {
  const { name, inwards, outwards } = known.get(step.name) ?? step
  const complete = { ...step, inwards: step.inwards || inwards, outwards: step.outwards || outwards }
  known.set(name, complete)
  return complete
}

/** The pipelines that routes name, each with the lists that it runs. */
function pipelinesOf(source: string): string {
  const body = /createPipelines[^{]*\{\n([\s\S]*?)\n\}/.exec(source)?.[1] ?? ''
  const rows = [...body.matchAll(/^ +'?([\w-]+)'?: (\w+)(?:\.then\((\w+)\))?/gm)]
  const linkTo = (list: string) => {
    const title = titles[list] ?? list
    return `[${title}](#${title
      .toLowerCase()
      .replaceAll(/[^\w ]/g, '')
      .replaceAll(' ', '-')})`
  }
  return [
    row(['pipeline', 'lists']),
    row(['---', '---']),
    ...rows.map(([, name = '', first = '', then]) =>
      row([
        `\`${name}\``,
        [first, then].flatMap((list) => (list === undefined ? [] : linkTo(list))).join(', '),
      ]),
    ),
  ].join('\n')
}

const row = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
const linked = ({ file, name }: Step): string => (file === null ? `*${name}*` : `[\`${name}\`](#${file})`)

/** @param root of the checkout */
export function lifecyclePage(root: string): string {
  const source = readFileSync(join(root, 'core/pipeline.ts'), 'utf8')
  const tables: string[] = []
  const known = new Map<string, Step>()
  const files = new Set<string>()
  for (const [name, title] of Object.entries(titles)) {
    const start = new RegExp(
      `(?:\\/\\*\\*((?:(?!\\*\\/)[\\s\\S])*)\\*\\/\\n)?(?:export )?(?:const|function) ${name}\\b`,
    ).exec(source)
    if (start === null) throw new Error(`core/pipeline.ts has no list ${name}.`)
    const rest = source.slice(start.index + (start[1] ?? '').length)
    const listed = rest.slice(rest.search(/(?:nodeStages|stages|storedResponse)[<.]/))
    const body = listed.slice(0, listed.search(/\n\n|\n\}/))
    const steps = stepsOf(body, root, source).map((step) => withKnown(step, known))
    for (const { file } of steps) if (file !== null) files.add(file)
    const about = (start[1] ?? '').replace(/\s*\n \* ?/g, ' ').trim()
    tables.push(
      [
        `### ${title}`,
        ...(about === '' ? [] : [about]),
        [
          row(['stage', 'used', 'on the way in', 'on the way out']),
          row(['---', '---', '---', '---']),
          ...steps.map((step) => row([linked(step), step.when || 'always', step.inwards, step.outwards])),
        ].join('\n'),
      ].join('\n\n'),
    )
  }
  const stages = [...files].sort().map((file) => {
    const { text, errors } = descriptionOf(root, file)
    const link = `[\`core/stages/${file}.ts\`](../core/stages/${file}.ts)`
    return [`### ${file}`, text, `${errors === '' ? '' : `Errors: ${errors}. `}Source: ${link}`].join('\n\n')
  })
  return `${[
    '# The lifecycle of a request',
    'The lists of stages that requests run, and the errors that each stage answers. This page is written from [`core/pipeline.ts`](../core/pipeline.ts) and the stages by `npm run docs`; [concepts](concepts.md) explains the phases.',
    '## Lists',
    'A request runs a list from top to bottom. Its answer, or the error that took its place, passes the same stages from bottom to top. Every stage can end the way in by answering.',
    ...tables,
    '## Pipelines',
    'What a route of an [endpoint](adding-an-endpoint.md) names, and the lists that it runs after those of every request. A list continues with those that its last row names.',
    pipelinesOf(source),
    '## Stages',
    ...stages,
  ].join('\n\n')}\n`
}
