/** Instruments without the SDK's cost per record report the same as the SDK's. */

import { JsonMetricsSerializer } from '@opentelemetry/otlp-transformer'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { AggregationTemporality, MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import { expect } from 'chai'
import fc from 'fast-check'
import { createCounter, createHistogram } from '#telemetry/instruments'
import { assertProperty } from '../../support/assert-property.ts'

const naming = { name: 'a.duration', unit: 's', description: 'Some time.' }
const counterNaming = { name: 'a.cost', unit: '{cent}', description: 'Some cents.' }
const boundaries = [0, 0.5, 1, 10]
const resource = resourceFromAttributes({})

const records = fc.array(
  fc.record({
    model: fc.constantFrom('one', 'other', 'third'),
    // Values whose sums are exact in any order.
    value: fc.integer({ min: 0, max: 100 }).map((eighths) => eighths / 8),
  }),
)
const temporalities = fc.constantFrom(AggregationTemporality.CUMULATIVE, AggregationTemporality.DELTA)

describe('the instruments of the telemetry plugin', () => {
  it('report the same as the instruments of the SDK, cumulative and as deltas', async () => {
    await assertProperty(
      fc.asyncProperty(
        fc.array(records, { minLength: 1, maxLength: 3 }),
        temporalities,
        async (rounds, temporality) => {
          const reader = new Reader({ aggregationTemporalitySelector: () => temporality })
          const meter = new MeterProvider({ resource, readers: [reader] }).getMeter('gateway')
          const theirs = {
            histogram: meter.createHistogram(naming.name, {
              ...naming,
              advice: { explicitBucketBoundaries: boundaries },
            }),
            counter: meter.createCounter(counterNaming.name, counterNaming),
          }
          const ours = {
            histogram: createHistogram(naming, boundaries),
            counter: createCounter(counterNaming),
          }
          for (const round of rounds) {
            for (const { model, value } of round) {
              theirs.histogram.record(value, { model })
              theirs.counter.add(value, { model })
              ours.histogram.series({ model }).record(value)
              ours.counter.series({ model }).add(value)
            }
            const { resourceMetrics } = await reader.collect()
            const times = { startTime: [0, 0] as [number, number], endTime: [0, 0] as [number, number] }
            const metrics = [ours.histogram, ours.counter]
              .map((instrument) => instrument.collect({ temporality, ...times }))
              .filter(({ dataPoints }) => dataPoints.length > 0)
            const own = { resource, scopeMetrics: [{ scope: { name: 'gateway' }, metrics }] }
            expect(written(own)).to.deep.equal(written(resourceMetrics))
          }
        },
      ),
    )
  })

  it('count everything beyond 2,000 series in one overflow series', () => {
    const counter = createCounter(counterNaming)
    for (let count = 0; count < 3000; count += 1) counter.series({ count }).add(1)
    const { dataPoints } = counter.collect({
      temporality: AggregationTemporality.CUMULATIVE,
      startTime: [0, 0],
      endTime: [1, 0],
    })
    expect(dataPoints).to.have.length(2000)
    const [last] = dataPoints.slice(-1)
    expect(last).to.deep.include({ attributes: { 'otel.metric.overflow': true }, value: 1001 })
  })
})

/** Collects when it is asked. */
class Reader extends MetricReader {
  protected override onForceFlush = async () => undefined
  protected override onShutdown = async () => undefined
}

/** The data as sent to a collector, except times and the order of series. */
function written(metrics: Parameters<typeof JsonMetricsSerializer.serializeRequest>[0]): unknown {
  const bytes = JsonMetricsSerializer.serializeRequest(metrics) ?? new Uint8Array()
  const [one] = JSON.parse(Buffer.from(bytes).toString()).resourceMetrics[0].scopeMetrics
  const all: { histogram?: Points; sum?: Points }[] = one?.metrics ?? []
  for (const { histogram, sum } of all) {
    const points = (histogram ?? sum)?.dataPoints ?? []
    for (const point of points) {
      point.startTimeUnixNano = ''
      point.timeUnixNano = ''
    }
    points.sort((one, other) => orderOf(one).localeCompare(orderOf(other)))
  }
  return all
}

const orderOf = ({ attributes }: Point) => JSON.stringify(attributes)

interface Point {
  attributes: object[]
  startTimeUnixNano: string
  timeUnixNano: string
}

interface Points {
  dataPoints: Point[]
}
