/** A collector of OpenTelemetry's protocol: takes traces and metrics over HTTP as JSON, and keeps them. */
import { openUpstream, type SeenRequest, sendJson, type Upstream } from './upstream.ts'

interface Value {
  stringValue?: string
  intValue?: number
  doubleValue?: number
  boolValue?: boolean
  arrayValue?: { values: Value[] }
}

interface Attribute {
  key: string
  value: Value
}

export interface Span {
  name: string
  kind: 'INTERNAL' | 'SERVER' | 'CLIENT'
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  startMs: number
  endMs: number
  isError: boolean
  attributes: Record<string, unknown>
  events: { name: string; atMs: number }[]
}

interface Point {
  attributes: Record<string, unknown>
  /** The value of a counter, or the sum of a histogram. */
  sum: number
  count: number | undefined
}

export interface Collector {
  origin: string
  /** The status of its answers from now on. */
  status: number
  requests: SeenRequest[]
  spans: Span[]
  /** The metrics of the newest export; cumulative. */
  metrics: Map<string, Point[]>
  resource: Record<string, unknown>
  close(): Promise<void>
}

export async function openCollector(): Promise<Collector> {
  const upstream: Upstream = await openUpstream((request, response) => {
    collector.requests.push(request)
    if (collector.status === 200) take(collector, request)
    sendJson(response, collector.status, {})
  })
  const collector: Collector = {
    origin: upstream.origin,
    status: 200,
    requests: [],
    spans: [],
    metrics: new Map(),
    resource: {},
    close: () => upstream.close(),
  }
  return collector
}

function take(collector: Collector, { path, text }: SeenRequest): void {
  const body = JSON.parse(String(text))
  for (const { resource, scopeSpans } of body.resourceSpans ?? []) {
    collector.resource = attributesOf(resource.attributes)
    for (const { spans } of scopeSpans) collector.spans.push(...spans.map(spanOf))
  }
  if (path !== '/v1/metrics') return
  for (const { scopeMetrics } of body.resourceMetrics)
    for (const { metrics } of scopeMetrics)
      for (const { name, sum, histogram } of metrics)
        collector.metrics.set(name, (sum ?? histogram).dataPoints.map(pointOf))
}

const kinds = { 1: 'INTERNAL', 2: 'SERVER', 3: 'CLIENT' } as const

interface SentSpan {
  name: string
  kind: keyof typeof kinds
  traceId: string
  spanId: string
  parentSpanId?: string
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Attribute[]
  events: { name: string; timeUnixNano: string }[]
  status: { code: number }
}

const spanOf = (sent: SentSpan): Span => ({
  name: sent.name,
  kind: kinds[sent.kind],
  traceId: sent.traceId,
  spanId: sent.spanId,
  parentSpanId: sent.parentSpanId,
  startMs: Number(sent.startTimeUnixNano) / 1e6,
  endMs: Number(sent.endTimeUnixNano) / 1e6,
  isError: sent.status.code === 2,
  attributes: attributesOf(sent.attributes),
  events: sent.events.map(({ name, timeUnixNano }) => ({ name, atMs: Number(timeUnixNano) / 1e6 })),
})

interface SentPoint {
  attributes: Attribute[]
  asDouble?: number
  asInt?: number
  sum?: number
  count?: number
}

const pointOf = ({ attributes, asDouble, asInt, sum, count }: SentPoint): Point => ({
  attributes: attributesOf(attributes),
  sum: sum ?? asDouble ?? Number(asInt),
  count: count === undefined ? undefined : Number(count),
})

const attributesOf = (attributes: Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, plain(value)]))

function plain({ stringValue, intValue, doubleValue, boolValue, arrayValue }: Value): unknown {
  if (arrayValue !== undefined) return arrayValue.values.map(plain)
  return stringValue ?? boolValue ?? doubleValue ?? Number(intValue)
}
