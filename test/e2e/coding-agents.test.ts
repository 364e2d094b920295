/**
 * Coding agents as their users run them: `gateway connect` writes the agent's settings, and its command makes a call through the
 * gateway. The agents are npm packages (`@openai/codex`, `@anthropic-ai/claude-code`, `opencode-ai`, `@github/copilot`,
 * `@qwen-code/qwen-code`, `cline`, `@continuedev/cli`) below the directory that CODING_AGENTS_DIR names; each has several hundred
 * megabytes, so nothing installs them. Gateway and agent run in a network of their own, which has loopback only.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const directory = process.env.CODING_AGENTS_DIR ?? ''
const gateway = fileURLToPath(new URL('../../../core/cli/bin/gateway.js', import.meta.url))

interface Agent {
  name: string
  /** Below the directory. */
  program: string
  words: string
  /** The settings that the shell reads before the start. */
  settings?: string
}

const agents: readonly Agent[] = [
  {
    name: 'codex',
    program: 'node_modules/.bin/codex',
    words: "exec --skip-git-repo-check 'say the word banana'",
  },
  {
    name: 'claude-code',
    program: 'node_modules/@anthropic-ai/claude-code-linux-x64/claude',
    words: "-p 'say the word banana'",
  },
  {
    name: 'opencode',
    program: 'node_modules/opencode-linux-x64/bin/opencode',
    words: "run 'say the word banana'",
  },
  {
    name: 'copilot',
    program: 'node_modules/.bin/copilot',
    words: "-p 'say the word banana' --allow-all-tools",
    settings: '.copilot/gateway.env',
  },
  {
    name: 'qwen-code',
    program: 'node_modules/.bin/qwen',
    words: "-p 'say the word banana'",
  },
  {
    name: 'cline',
    program: 'node_modules/.bin/cline',
    words: "'say the word banana'",
  },
  {
    name: 'continue',
    program: 'node_modules/.bin/cn',
    words: "-p 'say the word banana'",
  },
]

const canIsolate = () => spawnSync('unshare', ['-rn', 'ip', 'link', 'set', 'lo', 'up']).status === 0

/** Starts the gateway, waits for it, connects the agent, runs it, and stops the gateway. */
const script = ({ name, program, words, settings }: Agent) => `
set -eu
ip link set lo up
"$NODE" "$GATEWAY" start --config gateway.yaml >gateway.log 2>&1 &
gateway=$!
trap 'kill $gateway' EXIT
for i in $(seq 600); do
  curl -sf http://127.0.0.1:8787/readyz >/dev/null && break
  sleep 0.1
done
"$NODE" "$GATEWAY" connect ${name} --model @echo/echo-1
${settings === undefined ? '' : `. ./${settings}`}
mkdir work && cd work
${JSON.stringify(join(directory, program))} ${words} </dev/null
curl -s http://127.0.0.1:8787/v1/logs -H "authorization: Bearer $GATEWAY_ADMIN_KEY"
`

async function runAgent(agent: Agent): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'gateway-agent-'))
  try {
    await writeFile(join(home, 'gateway.yaml'), 'providers: { echo: { provider: echo } }\n')
    const child = spawn('unshare', ['-rn', 'bash', '-c', script(agent)], {
      cwd: home,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        HOME: home,
        NODE: process.execPath,
        GATEWAY: gateway,
        GATEWAY_STORE_URL: 'memory:',
        GATEWAY_ADMIN_KEY: 'admin-key-of-the-agents',
      },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)))
    await once(child, 'close')
    return output
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

describe('coding agents behind the gateway', () => {
  for (const agent of agents) {
    if (directory === '' || !existsSync(join(directory, agent.program)) || !canIsolate()) {
      console.log(
        `left out: ${agent.name}, because CODING_AGENTS_DIR names no directory that has it, or networks cannot be isolated`,
      )
      continue
    }
    it(`work with the settings that gateway connect wrote: ${agent.name}`, async () => {
      const output = await runAgent(agent)
      expect(output).to.match(/banana/)
      expect(output, output).to.match(/"response_status_code":200/)
    })
  }
})
