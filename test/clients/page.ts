/** `docs/conformance/clients.md`: the outcomes of runs with the real clients. */
import type { Agent } from './agents.ts'
import { countTokensTitle, others, promptCacheTitle, stories } from './matrix.ts'
import type { Outcome } from './outcome.ts'
import { places } from './vendors/index.ts'

/** Outcomes of a client by the scenario's title. */
export interface ClientResults {
  agent: Agent
  version: string
  outcomes: ReadonlyMap<string, Outcome>
}

const head = `# Coding agents: supported features

Written by \`npm run clients\`; do not edit. Each cell is the result of a run: the client from npm, as users start it without a terminal,
with the settings that \`gateway connect\` wrote, in front of a gateway whose providers are scripted. Like the vendors, they refuse unknown
members, unpaired tool calls, and unsupported schemas and names. Gateway and client run in a network that has only loopback.

- *yes*: the feature works. *no*: it does not, for the numbered reason below. *not run*: it was not tested, for the numbered reason below.
- *native* and *other formats*: a session at a provider of the client's own format, and at each provider of another format. A session lists
  files, writes one, runs a command and ends. It passes if the client has done all of that, no provider has refused a request, and the log
  contains the tokens and the cost that the providers counted, in one trace ([sessions](../guides/coding-agents.md#sessions-and-users)). If
  there was more than one trace, the cell contains their number.
- *too long*: the session grows until its provider refuses it as too long for the model, with the provider's own message and, at OpenAI, in
  a stream that has begun. It passes if the session is compacted without a request by the user and continues, at all five providers. *By the
  gateway*: this also works when the agent leaves the summary to its provider.
`

const cacheHead = `Input tokens that are read from Anthropic's cache in a session of ten turns, without and with
[\`prompt_cache: "auto"\`](../guides/prompt-caching.md). The scripted provider counts tokens as the vendor documents: one token for four
characters, and at least 1,024 tokens for a cache entry. The log contains the same figures.`

const unreached: Outcome = { result: 'not run', note: 'the run ended before it' }

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
const table = (columns: readonly string[], rows: readonly (readonly string[])[]) =>
  [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n')

export function renderPage(results: readonly ClientResults[]): string {
  const notes: string[] = []
  const cellOf = (outcome: Outcome | undefined): string => {
    const { result, note = '' } = outcome ?? unreached
    if (note === '') return result
    if (result === 'yes') return `yes: ${note}`
    if (!notes.includes(note)) notes.push(note)
    return `${result} (${notes.indexOf(note) + 1})`
  }
  const cross = ({ agent, outcomes }: ClientResults): string => {
    const foreign = stories.filter(({ title }) => title !== places[agent.native].title)
    const held = foreign.filter(({ title }) => outcomes.get(title)?.result === 'yes').length
    const tried = foreign.filter(({ title }) => outcomes.has(title)).length
    return `${held} of ${tried}`
  }
  const named = ({ agent, version }: ClientResults) => [agent.title, version]
  const matrix = results.map((each) => [
    ...named(each),
    cellOf(each.outcomes.get(places[each.agent.native].title)),
    cross(each),
    ...[...others.map(({ title }) => title), countTokensTitle].map((title) =>
      cellOf(each.outcomes.get(title)),
    ),
  ])
  const byProvider = results.map((each) => [
    ...named(each),
    ...stories.map(({ title }) => cellOf(each.outcomes.get(title))),
  ])
  const cached = results.map((each) => [...named(each), cellOf(each.outcomes.get(promptCacheTitle))])
  const columns = [
    'client',
    'version',
    'native',
    'other formats',
    ...others.map(({ title }) => title),
    countTokensTitle,
  ]
  const sections = [
    head,
    `## Matrix\n\n${table(columns, matrix)}\n`,
    `## Sessions by provider\n\n${table(['client', 'version', ...stories.map(({ title }) => title)], byProvider)}\n`,
    `## Prompt cache\n\n${cacheHead}\n\n${table(['client', 'version', 'cached tokens'], cached)}\n`,
    ...(notes.length === 0
      ? []
      : [`## Reasons\n\n${notes.map((note, at) => `${at + 1}. ${quoted(note)}`).join('\n')}\n`]),
  ]
  return sections.join('\n')
}

const quoted = (text: string) => `\`${text.replaceAll('`', "'").replaceAll('|', '\\|')}\``
