/**
 * A test vendor: a local server, and checks that run against it through the gateway's own outbound client, with
 * loopback trusted.
 */
import type { Check, CheckIo, GuardrailPlugin, JsonObject } from '@gateway/contract'
import { type CheckOutcome, type CheckRun, runCheck } from '@gateway/testing'
import { expect } from 'chai'
import { createHostGuard } from '#upstream/host-guard'
import { createOutbound } from '#upstream/outbound'
import { openUpstream, type SeenRequest } from '../../support/upstream.ts'

/** The vendor's answer; JSON unless a text is set. */
export interface Reply {
  /** Default 200. */
  status?: number
  headers?: Record<string, string>
  json?: unknown
  text?: string
}

export type VendorHandler = (request: SeenRequest) => Reply | Promise<Reply>

export interface Vendor {
  /** `http://127.0.0.1:PORT`: for `baseUrl`. */
  origin: string
  /** Every request that came. */
  seen: SeenRequest[]
  close(): Promise<void>
}

/** Opens a vendor. */
export async function openVendor(handler: VendorHandler): Promise<Vendor> {
  const { origin, seen, close } = await openUpstream(async (request, response) => {
    const { status = 200, headers, json, text } = await handler(request)
    const type = text === undefined ? 'application/json' : 'text/plain'
    response.writeHead(status, { 'content-type': type, ...headers })
    response.end(text ?? JSON.stringify(json))
  })
  return { origin, seen, close }
}

/** A run of a check, with the plugin's settings. */
export type VendorRun = CheckRun & { settings?: JsonObject }

/** Runs a check with the gateway's outbound client. */
export async function runAgainst(
  check: Check,
  { settings = {}, io, ...run }: VendorRun,
): Promise<CheckOutcome> {
  const outbound = createOutbound(createHostGuard({ trustedHosts: ['127.0.0.1'] }))
  const signal = io?.signal ?? new AbortController().signal
  try {
    return await runCheck(check, {
      ...run,
      io: {
        settings,
        signal,
        fetchJson: (request) => outbound.fetchJson(request, signal),
        fetch: (request) => outbound.fetch(request, signal),
        ...io,
      },
    })
  } finally {
    outbound.close()
  }
}

/**
 * Runs a check against a vendor started for this run; returns the result, and the requests that the vendor received.
 */
export async function runOnce(
  check: Check,
  handler: VendorHandler,
  run: (origin: string) => VendorRun,
): Promise<CheckOutcome & { seen: SeenRequest[] }> {
  const vendor = await openVendor(handler)
  try {
    return { ...(await runAgainst(check, run(vendor.origin))), seen: vendor.seen }
  } finally {
    await vendor.close()
  }
}

/** A plugin's check by its id. */
export function checkOf(plugin: GuardrailPlugin, id: string): Check {
  return plugin.checks.find((check) => check.id === id) ?? expect.fail(`${plugin.name} has no check ${id}`)
}

/**
 * Replaces the vendor when no server is needed (`describeChecks`): every call is answered with this, or with its result
 * for the request's body.
 */
export function answering(reply: unknown, status = 200): Partial<CheckIo> {
  const answerTo = (body: unknown) => (typeof reply === 'function' ? (reply(body) as unknown) : reply)
  return {
    fetchJson: async ({ json }) => ({ status, headers: {}, json: answerTo(json) }),
    fetch: async ({ body }) => {
      const json = answerTo(body === undefined ? null : JSON.parse(String(body)))
      return { status, headers: {}, bytes: Buffer.from(JSON.stringify(json)) }
    },
  }
}

/** Answers that must not lead to a verdict. */
export const faultyReplies: Readonly<Record<string, Reply>> = {
  'a refused credential': { status: 401, json: { error: { message: 'invalid key' } } },
  'a rate limit': { status: 429, json: { error: 'slow down' } },
  'a failure': { status: 500, json: { message: 'internal' } },
  'a failure with a page': { status: 503, text: '<html>unavailable</html>' },
  'a redirect': { status: 302, headers: { location: '/elsewhere' }, text: '' },
  'no JSON': { text: '<html>hello</html>' },
  'an empty body': { text: '' },
  'JSON of another shape': { json: { unexpected: true } },
  'a list': { json: [] },
  null: { json: null },
}

/** Registers a test for each invalid answer: the check fails without a verdict. */
export function describeFaults(
  check: Check,
  run: (origin: string) => VendorRun,
  more: Readonly<Record<string, Reply>> = {},
): void {
  describe(`${check.id}: an invalid vendor answer`, () => {
    for (const [name, reply] of Object.entries({ ...faultyReplies, ...more }))
      it(`fails on ${name}`, async () => {
        const outcome = await runOnce(check, () => reply, run).catch((error: unknown) => error)
        expect(outcome).to.be.instanceOf(Error).and.not.be.instanceOf(TypeError)
      })
  })
}

interface DescribeDiscretionOptions {
  run: (origin: string) => VendorRun
  sendsPrompt?: boolean
}

/**
 * Registers a test for each phase: no header and no metadata of a caller reaches the vendor, and the prompt is not sent
 * with the answer unless the check needs it.
 */
export function describeDiscretion(
  check: Check,
  handler: VendorHandler,
  { run, sendsPrompt = false }: DescribeDiscretionOptions,
): void {
  const secrets = ['caller-credential', 'caller-trace', 'caller-team', 'test-model']
  const prompt = 'What the user had asked for before.'
  const answer = `What the model had to say about it. ${'It went on and on. '.repeat(8)}`
  describe(`${check.id}: privacy`, () => {
    for (const phase of check.phases)
      it(`sends nothing but the texts in the phase ${phase}`, async () => {
        const { seen } = await runOnce(check, handler, (origin) => ({
          ...run(origin),
          phase,
          provider: 'caller-provider',
          headers: { authorization: 'caller-credential', 'x-gateway-trace-id': 'caller-trace' },
          metadata: { team: 'caller-team' },
          request: { model: 'test-model', messages: [{ role: 'user', content: prompt }] },
          response: { choices: [{ index: 0, message: { role: 'assistant', content: answer } }] },
        }))
        const sent = JSON.stringify(seen.map(({ path, headers, text }) => ({ path, headers, text })))
        for (const secret of [...secrets, 'caller-provider']) expect(sent).not.to.contain(secret)
        const isBefore = phase === 'before'
        expect(sent.includes(prompt), 'the prompt').to.equal(isBefore || sendsPrompt)
        expect(sent.includes('had to say about it'), 'the answer').to.equal(!isBefore)
      })
  })
}
