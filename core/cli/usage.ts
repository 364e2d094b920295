/** The text of `gateway help` and `gateway help COMMAND`, and of usage errors. */
import { nearestName } from '@gateway/domain'
import { clientHelp } from './gateway-client.ts'

interface CommandHelp {
  /** One line for the list of commands. */
  summary: string
  /** The arguments after the command's name. */
  synopsis: string
  /** Arguments and options with descriptions. */
  options: readonly (readonly [option: string, meaning: string])[]
  /** Further lines, such as the meaning of exit codes. */
  notes?: readonly string[]
}

const config = [
  '--config FILE',
  'the config file (environment: GATEWAY_CONFIG; default: config/gateway.yaml, if it exists)',
] as const

/** The commands, in the order of the list. */
export const commandHelp: Readonly<Record<string, CommandHelp>> = {
  start: {
    summary: 'Start the gateway',
    synopsis: '[OPTIONS]',
    options: [
      config,
      ['--host HOST', 'the address to listen on (GATEWAY_HOST; default 127.0.0.1)'],
      ['--port PORT', 'the port to listen on (GATEWAY_PORT; default 8787)'],
      ['--workers N|auto', 'the number of processes (GATEWAY_WORKERS; default 1)'],
    ],
    notes: [
      'Options win over the environment, the environment wins over the config file. Without a file at the default path,',
      'every command works with the embedded provider only.',
    ],
  },
  init: {
    summary: 'Write a config file with comments to start from',
    synopsis: '[FILE]',
    options: [['FILE', 'a file that does not exist yet (default: config/gateway.yaml)']],
  },
  check: {
    summary: 'Validate a config file and show its declarations',
    synopsis: '[OPTIONS]',
    options: [
      config,
      ['--verbose', 'also list providers, checks and packages'],
      ['--json', 'print one JSON object: valid, file, errors, warnings, declared names'],
    ],
    notes: [
      'If the file is not valid, the exit code is 1, and every error is printed with its file, line and JSON path.',
    ],
  },
  doctor: {
    summary: 'Check Node.js, config, ports, stores, encryption key, clock and providers',
    synopsis: '[OPTIONS]',
    options: [
      ['--offline', 'do not call providers'],
      ['--json', 'print one JSON object: the findings with check, status, message, remedy'],
      config,
    ],
    notes: [
      'Each problem comes with what to do about it. Exit code 1 if a check failed. Nothing is migrated, but an empty',
      'database gets its tables. Providers get a HEAD request without a credential.',
    ],
  },
  health: {
    summary: 'Ask the gateway on this machine for its health, for health checks of containers',
    synopsis: '[OPTIONS]',
    options: [['--ready', 'whether it is ready for requests (/readyz), not only alive (/healthz)'], config],
    notes: [
      'Uses the port and TLS of the config file and the environment. Exit code 1 if the answer is not 200.',
    ],
  },
  plugins: {
    summary: 'List the discovered packages with their providers and checks',
    synopsis: '[NAME] [OPTIONS]',
    options: [
      ['NAME', 'only this package, plugin or provider; with --checks also the id of a check'],
      ['--checks', 'list checks with their parameters'],
      config,
    ],
  },
  try: {
    summary: 'Run one guardrail check on a text',
    synopsis: 'CHECK [OPTIONS]',
    options: [
      ['CHECK', "the check's id, for example default.contains"],
      ['--text TEXT', 'the text to check (default: standard input)'],
      ['--parameters JSON', "the check's parameters"],
      ['--phase before|after', 'the phase to run it in (default: the first phase that the check supports)'],
      ['--body FILE', 'a whole request or answer as JSON instead of a text'],
      ['--metadata JSON', "the request's metadata"],
      [config[0], 'the file whose plugins.settings and trusted hosts apply'],
    ],
    notes: ['Exit code 1 when the check fails or cannot run.'],
  },
  keys: {
    summary: 'Create, list, rotate and revoke API keys',
    synopsis: 'create|list|rotate|revoke|hash|reset-admin [NAME] [OPTIONS]',
    options: [
      ['create', 'create a key: --name NAME [--scopes A,B] [--workspace W] [--expires-at TIME]'],
      ['list', 'list names, scopes and workspaces'],
      ['rotate NAME', 'replace a key by a new one, which is shown once'],
      ['revoke NAME', 'remove a key'],
      ['hash', 'read a key from standard input and print its hash'],
      ['reset-admin', 'replace the admin key of the data folder by a new one, which is shown once'],
      ['--store', "work on the store's keys instead of the config file's; NAME is a name or an id"],
      ['--write', 'change the config file; without it, the lines to add are printed'],
      config,
    ],
  },
  logs: {
    summary: 'Show calls from the log of requests',
    synopsis: '[ID] [OPTIONS]',
    options: [
      ['ID', 'one call with its attempts: the id of an entry or of a trace'],
      ['--follow, -f', 'keep showing new calls until interrupted'],
      ['--limit, -n N', 'how many of the newest calls (default 20)'],
      ['--since TIME', 'a duration such as 30m, 2h, 7d, or an ISO 8601 time'],
      ['--model A,B', 'models that answered'],
      ['--provider A,B', 'names of providers, or slugs of stored credentials'],
      ['--status 429,500', 'HTTP statuses; --errors for all from 400 on'],
      ['--source A,B', 'gateway, custom, cache, replay, shadow (default: all but replay and shadow)'],
      ['--trace A,B', 'trace ids'],
      ['--workspace ID', 'ids of workspaces'],
      ['--json', 'JSON lines; the default when the output is not a terminal'],
      config,
    ],
    notes: ['Reads the store while a gateway uses it.'],
  },
  mcp: {
    summary: 'List MCP servers and their tools, and call a tool',
    synopsis: '[SERVER [TOOL]] [OPTIONS]',
    options: [
      ['SERVER', 'list the tools of this server: its slug'],
      ['TOOL', 'call this tool'],
      ['--arguments JSON', "the tool's arguments, a JSON object"],
      ...clientHelp,
    ],
    notes: [
      'Calls a running gateway with the key in GATEWAY_KEY, or else in GATEWAY_ADMIN_KEY. Exit code 1 when the',
      'gateway, the server or the tool fails.',
    ],
  },
  batch: {
    summary: 'List batches, and follow one until it has ended',
    synopsis: 'list|follow [ID] [OPTIONS]',
    options: [
      ['list', 'the newest batches'],
      ['follow ID', 'show the progress of a batch, and its result when it has ended'],
      ['--limit N', 'how many of the newest (default 20)'],
      ['--provider @SLUG', "the provider, for a batch that the provider keeps: an id without 'gwbatch-'"],
      ...clientHelp,
    ],
    notes: [
      'Calls a running gateway with the key in GATEWAY_KEY, or else in GATEWAY_ADMIN_KEY. Exit code 1 when the',
      'gateway refuses, or when the batch did not complete.',
    ],
  },
  replay: {
    summary: 'Replay logged requests against another config, and compare the answers',
    synopsis: '--config FILE|SLUG [OPTIONS]',
    options: [
      ['--config FILE|SLUG', 'the config to try: a JSON file, or the id or slug of a saved one'],
      ['--since TIME', 'a duration such as 2h or 7d, or an ISO 8601 time (default 7d)'],
      ['--filter JSON', 'which requests, as in GET /v1/logs: {"ai_model": "…"}'],
      ['--sample N', 'how many requests, drawn at random (default 200, at most 5000)'],
      ['--budget USD', 'what the replay may cost'],
      ['--judge FILE|SLUG', 'a config whose model judges which answer is better'],
      ['--criteria TEXT', 'what the judge looks at (default: correctness and helpfulness)'],
      ['--concurrency N', 'requests at once (default 4)'],
      ['--seed N', 'draws the same sample again'],
      ['--name NAME', 'a name for the list of replays'],
      ['--api-key ID', 'the API key that runs it, for an organisation key or session'],
      ['--yes', 'start without asking'],
      ...clientHelp,
    ],
    notes: [
      'Shows the estimate, asks, follows the replay and prints its report. Calls a running gateway with the key in',
      'GATEWAY_KEY, or else in GATEWAY_ADMIN_KEY. Exit code 1 when the gateway refuses, or the replay fails.',
    ],
  },
  export: {
    summary: 'Export the store to a file',
    synopsis: 'FILE [OPTIONS]',
    options: [['FILE', 'a file that does not exist yet'], config],
    notes: ['The file contains documents, budgets, logs and files. Secrets stay encrypted.'],
  },
  import: {
    summary: 'Import an export into an empty store',
    synopsis: 'FILE [OPTIONS]',
    options: [
      ['FILE', 'a file that `gateway export` wrote'],
      ['--merge', 'import into a store that is not empty: objects with the same id are replaced'],
      config,
    ],
    notes: ['Works for SQLite and Postgres and needs the GATEWAY_ENCRYPTION_KEY of the exporting side.'],
  },
  'rotate-encryption-key': {
    summary: "Encrypt the store's secrets with a new key",
    synopsis: '[OPTIONS]',
    options: [config],
    notes: [
      'Set the new key in GATEWAY_ENCRYPTION_KEY and the old one in GATEWAY_PREVIOUS_ENCRYPTION_KEY. Without the',
      'latter, the key in the data folder is the old one.',
    ],
  },
  connect: {
    summary: 'Point a coding agent at the gateway, with a key that has a budget',
    synopsis: 'AGENT [OPTIONS]',
    options: [
      [
        '--url URL',
        'the address of the gateway (default: http://GATEWAY_HOST:GATEWAY_PORT, or http://127.0.0.1:8787)',
      ],
      ['--key KEY', 'an API key (GATEWAY_KEY); without one, a key is created with GATEWAY_ADMIN_KEY'],
      ['--budget USD', 'the monthly budget of the new key in USD (default: 20)'],
      ['--workspace W', 'the workspace of the new key (default: default)'],
      ['--model MODEL', 'the model to use, such as @SLUG/MODEL'],
      ['--dry-run', 'show the change and write nothing'],
      ['--yes', 'overwrite settings without asking'],
      ['--undo', 'take back what was written, and revoke the key that was created (GATEWAY_ADMIN_KEY)'],
    ],
    notes: [
      'AGENT is claude-code, codex, opencode, copilot, qwen-code, cline, continue or gemini-cli. The rest of its settings files',
      'stays as it is, comments included.',
    ],
  },
  new: {
    summary: 'Create a package for a guardrail plugin or a provider in ./NAME',
    synopsis: 'plugin|service-check|provider NAME',
    options: [
      ['plugin NAME', 'a guardrail plugin with one check'],
      ['service-check NAME', 'a guardrail plugin whose check calls an HTTP service'],
      ['provider NAME', 'a provider'],
    ],
  },
  schema: {
    summary: 'Write the JSON Schemas of the config file and of routing configs',
    synopsis: '[OPTIONS]',
    options: [['--out FOLDER', 'where to write (default: config)'], config],
  },
  docs: {
    summary: 'Write the reference pages of providers and checks',
    synopsis: '[OPTIONS]',
    options: [['--out FOLDER', 'the checkout (default: .)'], config],
  },
  completion: {
    summary: 'Print a script that completes commands and options in a shell',
    synopsis: 'bash|zsh|fish',
    options: [
      ['bash', 'add to ~/.bashrc: source <(gateway completion bash)'],
      ['zsh', 'add to ~/.zshrc: source <(gateway completion zsh)'],
      ['fish', 'run: gateway completion fish > ~/.config/fish/completions/gateway.fish'],
    ],
  },
}

/** The list of commands. */
export function overview(): string {
  const width = Math.max(...Object.keys(commandHelp).map((name) => name.length))
  const lines = Object.entries(commandHelp).map(
    ([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}\n`,
  )
  return `Usage: gateway COMMAND [OPTIONS]

Commands:
${lines.join('')}
Run "gateway help COMMAND" for the options of a command, "gateway --version" for the version.
`
}

/** The help of one command; null for an unknown command. */
export function helpOf(name: string): string | null {
  if (!Object.hasOwn(commandHelp, name)) return null
  const { summary, synopsis, options, notes = [] } = commandHelp[name] as CommandHelp
  const width = Math.max(...options.map(([option]) => option.length))
  const lines = options.map(([option, meaning]) => `  ${option.padEnd(width)}  ${meaning}\n`)
  const end = notes.length === 0 ? '' : `\n${notes.join('\n')}\n`
  return `${summary}.\n\nUsage: gateway ${name} ${synopsis}\n\n${lines.join('')}${end}`
}

/** The two lines of a usage error: the problem, and the command that shows help. */
export function usageError(message: string, name: string | undefined): string {
  const topic = name !== undefined && Object.hasOwn(commandHelp, name) ? ` ${name}` : ''
  return `${message.trimEnd()}\nRun "gateway help${topic}" for usage.\n`
}

/** Names that other programs have for a command. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ['backup', 'export'],
  ['restore', 'import'],
  ['run', 'start'],
  ['serve', 'start'],
  ['status', 'health'],
  ['validate', 'check'],
])

/** The message for an unknown command. */
export function unknownCommand(name: string): string {
  const nearest = otherNames.get(name) ?? nearestName(name, Object.keys(commandHelp))
  return `Unknown command "${name}".${nearest === null ? '' : ` Did you mean "${nearest}"?`}`
}
