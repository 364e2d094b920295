/** The agents: the command to start each without a terminal, and the tools that it uses in the sessions. */
import type { Step } from './model.ts'
import type { VendorName } from './vendors/index.ts'

export interface Agent {
  title: string
  /** The name in `gateway connect`. */
  name: string
  /** The npm package. */
  package: string
  /** Below the directory with the packages. */
  program: string
  /** The vendor whose format it speaks. */
  native: VendorName
  /** Models that differ from the vendor's usual one, because of the agent's requests. */
  models?: Partial<Record<VendorName, string>>
  /** Arguments of a session; `{{prompt}}` is replaced. */
  words: readonly string[]
  /** Arguments that continue the last session; absent: it cannot without a terminal. */
  resume?: readonly string[]
  /** Arguments after the first, with which it takes the gateway for its vendor, and has it compact conversations. */
  asVendor?: readonly string[]
  /** A file that a shell reads before. */
  settings?: string
  environment?: Readonly<Record<string, string>>
  /** It reads the prompt from standard input with these arguments; absent: it does not. */
  stdin?: readonly string[]
  /** The way to attach an image: further arguments, with `{{image}}`, or a call of a tool. */
  image?: { words: readonly string[] } | { step: Step }
  /** Arguments that make it ask for a count of tokens. */
  count?: readonly string[]
  tools: { list: Step; write: Step; run: Step }
  /** Whether it sets cache marks itself. */
  marksPrompts?: boolean
  /** Whether a model is its plain name, with the provider in the key's config. */
  isPlain?: boolean
}

const list = 'ls'
export const command = 'wc -c made.txt'
const patch = '*** Begin Patch\n*** Add File: made.txt\n+written by the agent\n*** End Patch\n'
export const written = 'written by the agent'

const bash = (tool: string, command: string, rest = {}): Step => [{ tool, input: { command, ...rest } }]

export const agents: readonly Agent[] = [
  {
    title: 'Claude Code',
    name: 'claude-code',
    package: '@anthropic-ai/claude-code',
    program: 'node_modules/@anthropic-ai/claude-code-linux-x64/claude',
    native: 'anthropic',
    marksPrompts: true,
    words: ['-p', '{{prompt}}', '--dangerously-skip-permissions'],
    resume: ['-p', '{{prompt}}', '--dangerously-skip-permissions', '--continue'],
    // It is root only in its own network.
    environment: { IS_SANDBOX: '1' },
    stdin: ['-p', '--dangerously-skip-permissions'],
    count: ['-p', '/context'],
    image: { step: [{ tool: 'Read', input: { file_path: '{{image}}' } }] },
    tools: {
      list: bash('Bash', list, { description: 'List' }),
      write: [{ tool: 'Write', input: { file_path: '{{work}}/made.txt', content: `${written}\n` } }],
      run: bash('Bash', command, { description: 'Count' }),
    },
  },
  {
    title: 'Codex',
    name: 'codex',
    package: '@openai/codex',
    program: 'node_modules/.bin/codex',
    native: 'openai',
    isPlain: true,
    asVendor: ['-c', 'model_providers.gateway.name="OpenAI"'],
    // A model that the agent knows, because it offers its own tools only for known models.
    models: { openai: 'gpt-5.5' },
    words: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '{{prompt}}'],
    resume: [
      'exec',
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      'resume',
      '--last',
      '{{prompt}}',
    ],
    stdin: ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '-'],
    image: { words: ['-i', '{{image}}'] },
    tools: {
      list: [{ tool: 'exec_command', input: { cmd: list } }],
      write: [
        { tool: 'apply_patch', input: { input: patch } },
        { tool: 'exec_command', input: { cmd: `echo '${written}' > made.txt` } },
      ],
      run: [{ tool: 'exec_command', input: { cmd: command } }],
    },
  },
  {
    title: 'OpenCode',
    name: 'opencode',
    package: 'opencode-ai',
    program: 'node_modules/opencode-linux-x64/bin/opencode',
    native: 'openai',
    words: ['run', '{{prompt}}'],
    resume: ['run', '--continue', '{{prompt}}'],
    stdin: ['run'],
    image: { words: ['-f', '{{image}}'] },
    tools: {
      list: bash('bash', list, { description: 'List' }),
      write: [
        { tool: 'write', input: { filePath: '{{work}}/made.txt', content: `${written}\n` } },
        { tool: 'apply_patch', input: { patchText: patch } },
      ],
      run: bash('bash', command, { description: 'Count' }),
    },
  },
  {
    title: 'GitHub Copilot CLI',
    name: 'copilot',
    package: '@github/copilot',
    program: 'node_modules/.bin/copilot',
    native: 'openai',
    // It sends a temperature, which GPT-5 always refuses.
    models: { openai: 'gpt-4.1' },
    words: ['-p', '{{prompt}}', '--allow-all-tools', '--allow-all-paths'],
    resume: ['--continue', '-p', '{{prompt}}', '--allow-all-tools', '--allow-all-paths'],
    settings: '.copilot/gateway.env',
    // For an image that a tool views it sends only a sentence, unless it knows the model.
    image: { words: ['--attachment', '{{image}}'] },
    tools: {
      list: bash('bash', list, { description: 'List' }),
      write: [
        { tool: 'create', input: { path: '{{work}}/made.txt', file_text: `${written}\n` } },
        { tool: 'apply_patch', input: { input: patch } },
        { tool: 'bash', input: { command: `echo '${written}' > made.txt`, description: 'Write' } },
      ],
      run: bash('bash', command, { description: 'Count' }),
    },
  },
  {
    title: 'Qwen Code',
    name: 'qwen-code',
    package: '@qwen-code/qwen-code',
    program: 'node_modules/.bin/qwen',
    native: 'openai',
    words: ['--yolo', '-p', '{{prompt}}'],
    settings: '.qwen/gateway.env',
    resume: ['--yolo', '--continue', '-p', '{{prompt}}'],
    stdin: ['--yolo', '-p', ''],
    image: { step: [{ tool: 'read_file', input: { file_path: '{{image}}', absolute_path: '{{image}}' } }] },
    tools: {
      list: [{ tool: 'list_directory', input: { path: '{{work}}' } }],
      write: [{ tool: 'write_file', input: { file_path: '{{work}}/made.txt', content: `${written}\n` } }],
      run: bash('run_shell_command', command, { is_background: false }),
    },
  },
  {
    title: 'Cline',
    name: 'cline',
    package: 'cline',
    program: 'node_modules/.bin/cline',
    native: 'openai',
    words: ['{{prompt}}'],
    tools: {
      list: [{ tool: 'run_commands', input: { commands: [list] } }],
      write: [
        { tool: 'editor', input: { path: '{{work}}/made.txt', new_text: `${written}\n` } },
        { tool: 'apply_patch', input: { input: patch } },
      ],
      run: [{ tool: 'run_commands', input: { commands: [command] } }],
    },
  },
  {
    title: 'Continue',
    name: 'continue',
    package: '@continuedev/cli',
    program: 'node_modules/.bin/cn',
    native: 'openai',
    words: ['--auto', '-p', '{{prompt}}'],
    settings: '.continue/gateway.env',
    resume: ['--auto', '--resume', '-p', '{{prompt}}'],
    tools: {
      list: [{ tool: 'List', input: { dirpath: '{{work}}' } }],
      write: [{ tool: 'Write', input: { filepath: '{{work}}/made.txt', content: `${written}\n` } }],
      run: bash('Bash', command),
    },
  },
  {
    title: 'Gemini CLI',
    name: 'gemini-cli',
    package: '@google/gemini-cli',
    program: 'node_modules/.bin/gemini',
    native: 'google',
    isPlain: true,
    words: ['--skip-trust', '--yolo', '-p', '{{prompt}}'],
    settings: '.gemini/gateway.env',
    resume: ['--skip-trust', '--yolo', '--resume', 'latest', '-p', '{{prompt}}'],
    stdin: ['--skip-trust', '--yolo', '-p', ''],
    image: { step: [{ tool: 'read_file', input: { file_path: '{{image}}' } }] },
    tools: {
      list: [{ tool: 'list_directory', input: { dir_path: '{{work}}' } }],
      write: [{ tool: 'write_file', input: { file_path: '{{work}}/made.txt', content: `${written}\n` } }],
      run: bash('run_shell_command', command),
    },
  },
]
