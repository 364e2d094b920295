/**
 * The session that a coding agent names becomes the trace of its calls, and its user becomes the user of their log
 * entries.
 */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { agentIds } from '#flow/headers/agent-sessions'
import { callEcho } from '../../plugins/observability/support.ts'
import { chat } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'

const session = '9bf55443-5913-4857-97e9-4d09c1967388'
const device = '6454d7bd5a09aa7a3c4dfdd07320cd8f24170ee8c63f8c22e0b8eabf0306dc2b'
const account = '0d6c1f2e-6e0a-4c1b-9a53-3d3a6d1f9f10'

type Sent = Record<string, string>
interface Sends {
  agent: string
  headers?: Sent
  body?: Record<string, unknown>
  trace: string | null
  user?: string | null
}

/** Requests as the agents send them. */
const requests: readonly Sends[] = [
  {
    agent: 'Claude Code',
    headers: { 'x-claude-code-session-id': session },
    body: {
      metadata: { user_id: JSON.stringify({ device_id: device, account_uuid: '', session_id: session }) },
    },
    trace: session,
    user: device,
  },
  {
    agent: 'Claude Code with an account',
    body: {
      metadata: {
        user_id: JSON.stringify({ device_id: device, account_uuid: account, session_id: session }),
      },
    },
    trace: session,
    user: account,
  },
  {
    agent: 'Claude Code before version 2.1',
    body: { metadata: { user_id: `user_${device}_account_${account}_session_${session}` } },
    trace: session,
    user: account,
  },
  {
    agent: 'Claude Code before version 2.1, without an account',
    body: { metadata: { user_id: `user_${device}_account__session_${session}` } },
    trace: session,
    user: device,
  },
  {
    agent: 'Codex',
    headers: { originator: 'codex_exec', 'session-id': session, 'thread-id': account },
    body: { prompt_cache_key: account, client_metadata: { 'x-codex-installation-id': device } },
    trace: session,
    user: device,
  },
  {
    agent: 'Codex, an earlier version',
    headers: { 'user-agent': 'codex_cli_rs/0.40.0', conversation_id: session, session_id: session },
    trace: session,
  },
  {
    agent: 'Codex without its headers',
    headers: { originator: 'codex_vscode' },
    body: { prompt_cache_key: session },
    trace: session,
  },
  {
    agent: 'OpenCode',
    headers: { 'user-agent': 'opencode/1.18.33', 'x-session-id': 'ses_de00f6dddffeXUX03iRDIpPVAA' },
    trace: 'ses_de00f6dddffeXUX03iRDIpPVAA',
  },
  {
    agent: 'Copilot',
    headers: { 'x-interaction-type': 'conversation-user' },
    body: { prompt_cache_key: '6d24bc3dbfc3503f6299d69c38bcf985' },
    trace: '6d24bc3dbfc3503f6299d69c38bcf985',
  },
  {
    agent: 'Qwen Code',
    headers: { 'user-agent': 'QwenCode/0.15.10 (linux; x64)' },
    body: { metadata: { sessionId: session, promptId: 'p' } },
    trace: session,
  },
  {
    agent: 'Cline',
    headers: { 'http-referer': 'https://cline.bot', 'x-task-id': '01K0AVVQ1ZV2M1CJNCWJ4J4S8X' },
    trace: '01K0AVVQ1ZV2M1CJNCWJ4J4S8X',
  },
  {
    agent: 'Cline with the provider OpenCode Go',
    headers: {
      'user-agent': 'Cline/3.0.65 ai-sdk/openai-compatible/3.0.37',
      'x-opencode-session': '1795869318744_ybl2k',
    },
    trace: '1795869318744_ybl2k',
  },
  { agent: 'Continue', headers: { 'x-continue-unique-id': account }, trace: null, user: account },
  {
    agent: 'Gemini CLI',
    headers: { 'x-gemini-api-privileged-user-id': account },
    trace: null,
    user: account,
  },
  { agent: 'another client with a cache key', body: { prompt_cache_key: session }, trace: null },
  {
    agent: 'another client with a session',
    headers: { 'session-id': session, 'x-session-id': session },
    trace: null,
  },
  { agent: 'another client with a user', body: { metadata: { user_id: 'ann@example.com' } }, trace: null },
  { agent: 'a client with a short id', headers: { 'x-claude-code-session-id': 'default' }, trace: null },
  { agent: 'a client with a long id', headers: { 'x-claude-code-session-id': 'a'.repeat(129) }, trace: null },
  {
    agent: 'a client with other characters',
    headers: { 'x-claude-code-session-id': `${session}<b>` },
    trace: null,
  },
  {
    agent: 'a client with several ids',
    headers: { 'x-claude-code-session-id': `${session}, ${session}` },
    trace: null,
  },
]

describe('the session of a coding agent', () => {
  const api = openManagement({ providers: { main: { provider: 'echo' } } })
  const entryOf = async (id: string) => (await api.get(`/v1/logs/${id}`)).body

  for (const { agent, headers = {}, body = {}, trace, user = null } of requests) {
    it(`is ${trace === null ? 'no trace' : 'the trace'} of its calls: ${agent}`, async () => {
      const called = await callEcho(api, headers, { body: chat('hello', body) })
      expect(called.status).to.equal(200)
      expect(called.traceId).to.equal(trace ?? called.id)
      expect(await entryOf(called.id)).to.deep.include({ trace_id: called.traceId, user_id: user })
    })
  }

  it('makes one trace of its calls in all formats', async () => {
    const sent = { 'x-claude-code-session-id': '11111111-5913-4857-97e9-4d09c1967388' }
    const messages = [{ role: 'user', content: 'hello' }]
    await callEcho(api, sent, { body: { model: 'm', max_tokens: 9, messages }, path: '/v1/messages' })
    await callEcho(api, sent, { body: { model: 'm', messages }, path: '/v1/messages/count_tokens' })
    await callEcho(api, sent, { body: { model: 'm', input: 'hello' }, path: '/v1/responses' })
    const { body } = await api.get(`/v1/traces/${sent['x-claude-code-session-id']}`)
    expect((body.data as { endpoint_type: string }[]).map((entry) => entry.endpoint_type)).to.deep.equal([
      'messages',
      'countTokens',
      'createModelResponse',
    ])
  })

  it('is ignored when a client has not filled in its variable', async () => {
    for (const id of [`\${QWEN_GATEWAY_TRACE}`, `\${{ secrets.//CONTINUE_GATEWAY_TRACE }}`]) {
      const called = await callEcho(api, { 'x-gateway-trace-id': id }, { body: chat('hello') })
      expect(called.traceId).to.equal(called.id)
    }
    const both = { 'x-gateway-trace-id': `\${QWEN_GATEWAY_TRACE}`, 'x-claude-code-session-id': session }
    expect((await callEcho(api, both, { body: chat('hello') })).traceId).to.equal(session)
  })

  it('is overridden by a trace id from the caller, in the gateway or the W3C format', async () => {
    const sent = { 'x-claude-code-session-id': session }
    const own = await callEcho(api, { ...sent, 'x-gateway-trace-id': 'mine' })
    expect(own.traceId).to.equal('mine')
    const trace = '0af7651916cd43dd8448eb211c80319c'
    const w3c = await callEcho(api, { ...sent, traceparent: `00-${trace}-b7ad6b7169203331-01` })
    expect(w3c.traceId).to.equal(trace)
  })

  it('is documented for every agent', () => {
    const guide = readFileSync(new URL('../../../../docs/guides/coding-agents.md', import.meta.url), 'utf8')
    const source = ({ header, member }: { header?: string; member?: string }) =>
      header === undefined ? `member \`${member}\`` : `header \`${header}\``
    const listed = (sources: readonly Parameters<typeof source>[0][]) =>
      [...new Set(sources.map(source))].join(', ') || 'none'
    for (const { agent, session: ids, user } of agentIds)
      expect(guide).to.include(`| ${agent} | ${listed(ids)} | ${listed(user)} |`)
  })
})
