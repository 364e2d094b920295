/** Spans serialized without the SDK's objects equal the output of its serializer. */
import type {
  ObservedAttempt,
  ObservedCall,
  ObservedRequest,
  ObservedStep,
  RequestTrace,
} from '@gateway/contract'
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { expect } from 'chai'
import fc from 'fast-check'
import { createByteWriter } from '#telemetry/byte-writer'
import { batchHead, createSpanBatch } from '#telemetry/span-batch'
import { assertProperty } from '../../support/assert-property.ts'
import { sdkSpans } from '../../support/sdk-spans.ts'

/** Including unpaired surrogates, quotes, control characters, and every plane of Unicode. */
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\ud800', '"\\\n\u0000', '€😀'),
)
const maybe = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null })
const hex = (digits: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits })
const ms = fc.double({ min: 0, max: 1e7, noNaN: true })
/** From the first second to the end of 64 bits of nanoseconds. */
const epochMs = fc.double({ min: 1000, max: 18_446_744_073_709, noNaN: true })
const content = fc.record({ input: fc.array(text), output: fc.record({ text }) })

const attempts: fc.Arbitrary<ObservedAttempt> = fc.record({
  spanId: hex(16),
  startedMs: ms,
  endedMs: ms,
  firstTokenMs: maybe(ms),
  endpoint: fc.constant('chatComplete' as const),
  provider: text,
  virtualKey: maybe(text),
  address: maybe(text),
  path: maybe(text),
  isStream: fc.boolean(),
  isHedge: fc.boolean(),
  requestModel: maybe(text),
  responseModel: maybe(text),
  responseId: maybe(text),
  finishReasons: fc.array(text),
  inputTokens: maybe(fc.nat()),
  outputTokens: maybe(fc.nat()),
  status: maybe(fc.integer({ min: 100, max: 599 })),
  fault: maybe(text),
  content: maybe(content),
})
const calls: fc.Arbitrary<ObservedCall> = fc.record({
  spanId: hex(16),
  endpoint: fc.constantFrom('mcp' as const, 'agent' as const),
  server: text,
  method: fc.oneof(text, fc.constant('tools/call')),
  tool: maybe(text),
  startedMs: ms,
  endedMs: maybe(ms),
  fault: maybe(text),
})
const steps: fc.Arbitrary<ObservedStep> = fc.record({
  spanId: hex(16),
  kind: fc.constantFrom('check' as const, 'cache' as const),
  id: maybe(text),
  startedMs: ms,
  endedMs: ms,
  verdict: maybe(fc.boolean()),
  error: maybe(text),
  status: maybe(text),
})
const traces: fc.Arbitrary<RequestTrace> = fc.record({
  traceId: hex(32),
  spanId: hex(16),
  parentSpanId: maybe(hex(16)),
  isSampled: fc.constant(true),
  capturesContent: fc.boolean(),
  steps: fc.array(steps, { maxLength: 3 }),
  calls: fc.array(calls, { maxLength: 3 }),
})
const requests: fc.Arbitrary<ObservedRequest> = fc.record({
  arrivedAt: epochMs,
  durationMs: ms,
  trace: traces,
  traceId: text,
  requestId: text,
  method: fc.constantFrom('GET', 'POST'),
  route: maybe(text),
  status: fc.integer({ min: 100, max: 599 }),
  error: maybe(text),
  isClosed: fc.boolean(),
  endpoint: maybe(fc.constantFrom('chatComplete' as const, 'mcp' as const)),
  organisationId: maybe(text),
  workspaceId: maybe(text),
  keyId: maybe(text),
  userId: maybe(text),
  config: maybe(text),
  targetPath: maybe(text),
  provider: maybe(text),
  cacheStatus: maybe(text),
  isStream: fc.boolean(),
  costCents: maybe(fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer())),
  overheadMs: maybe(ms),
  attempts: fc.array(attempts, { maxLength: 3 }),
})
const resources = fc.dictionary(
  text.map((name) => `named.${name}`),
  text,
)

describe('serialized spans', () => {
  it("equal the output of the SDK's serializer", () => {
    assertProperty(
      fc.property(fc.array(requests, { minLength: 1, maxLength: 4 }), resources, (batch, resource) => {
        const ofSdk = resourceFromAttributes(resource)
        const spans = batch.flatMap((request) =>
          request.trace === null ? [] : sdkSpans(request, request.trace, ofSdk),
        )
        const expected = JsonTraceSerializer.serializeRequest(spans)
        const own = createSpanBatch(batchHead(resource), null)
        for (const request of batch) own.add(request)
        expect(own.count).to.equal(spans.length)
        expect(sorted(own.body())).to.deep.equal(sorted(expected ?? new Uint8Array()))
      }),
    )
  })

  it('fit when a batch is larger than expected, and reuse the memory of another batch', () => {
    const long = '€'.repeat(600)
    const first = createByteWriter(1)
    for (let count = 0; count < 3; count += 1) first.quoted(long)
    expect(first.written().toString()).to.equal(`"${long}"`.repeat(3))
    const second = createByteWriter(first.written())
    second.digits(42, 4)
    second.quoted('a "word"')
    second.quoted('a word')
    expect(second.written().toString()).to.equal('0042"a \\"word\\"""a word"')
    expect(second.written().buffer).to.equal(first.written().buffer)
  })
})

/** An export, with the attributes of each span by their names. */
function sorted(body: Uint8Array): unknown {
  return JSON.parse(Buffer.from(body).toString(), (member, value) =>
    member === 'attributes'
      ? (value as { key: string }[]).toSorted((one, other) => (one.key < other.key ? -1 : 1))
      : value,
  )
}
