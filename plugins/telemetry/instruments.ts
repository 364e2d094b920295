/**
 * Histograms and counters whose series are looked up once, after which recording costs a few additions. They provide
 * the SDK's reader with the same data as its own instruments:
 * https://opentelemetry.io/docs/specs/otel/metrics/data-model/
 */
import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api'
import {
  AggregationTemporality,
  DataPointType,
  type Histogram,
  type HistogramMetricData,
  type MetricData,
  type SumMetricData,
} from '@opentelemetry/sdk-metrics'

export interface Naming {
  name: string
  unit: string
  description: string
}

interface Collecting {
  temporality: AggregationTemporality
  /** The start of the collected interval. */
  startTime: HrTime
  endTime: HrTime
}

export interface Instrument<Series> {
  /** The series with these attributes. */
  series(attributes: Attributes): Series
  /** The recorded values; with delta temporality, those since the last collection. */
  collect(collecting: Collecting): MetricData
}

export interface HistogramSeries {
  record(value: number): void
}

export interface CounterSeries {
  add(value: number): void
}

/** The most series per instrument, as in the SDK. Values of further series are counted together in one. */
const maxSeries = 2000
const overflow: Attributes = { 'otel.metric.overflow': true }

/** A series whose recorded value can be collected. */
interface Taking<Value> {
  /** Null if nothing was recorded. @param isDelta whether the series starts again from nothing */
  take(isDelta: boolean): Value | null
}

/** One series per set of attributes. */
function seriesTable<Value, Series extends Taking<Value>>(open: () => Series) {
  const table = new Map<string, { attributes: Attributes; series: Series }>()

  function find(attributes: Attributes): Series {
    const key = JSON.stringify(attributes)
    const known = table.get(key)
    if (known !== undefined) return known.series
    if (table.size >= maxSeries - 1 && attributes !== overflow) return find(overflow)
    const series = open()
    table.set(key, { attributes, series })
    return series
  }

  return {
    find,
    dataPoints({ temporality, startTime, endTime }: Collecting) {
      const isDelta = temporality === AggregationTemporality.DELTA
      return [...table.values()].flatMap(({ attributes, series }) => {
        const value = series.take(isDelta)
        return value === null ? [] : [{ attributes, startTime, endTime, value }]
      })
    },
  }
}

const described = ({ name, unit, description }: Naming) => ({
  name,
  unit,
  description,
  valueType: ValueType.DOUBLE,
})

/** @param boundaries inclusive upper bounds of buckets; a further bucket counts larger values */
export function createHistogram(naming: Naming, boundaries: readonly number[]): Instrument<HistogramSeries> {
  const descriptor = described(naming)
  const table = seriesTable<Histogram, HistogramSeries & Taking<Histogram>>(() => createBuckets(boundaries))
  return {
    series: table.find,
    collect: (collecting): HistogramMetricData => ({
      descriptor,
      aggregationTemporality: collecting.temporality,
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: table.dataPoints(collecting),
    }),
  }
}

/** A counter that only grows. */
export function createCounter(naming: Naming): Instrument<CounterSeries> {
  const descriptor = described(naming)
  const table = seriesTable<number, CounterSeries & Taking<number>>(createSum)
  return {
    series: table.find,
    collect: (collecting): SumMetricData => ({
      descriptor,
      aggregationTemporality: collecting.temporality,
      dataPointType: DataPointType.SUM,
      isMonotonic: true,
      dataPoints: table.dataPoints(collecting),
    }),
  }
}

function createBuckets(boundaries: readonly number[]): HistogramSeries & Taking<Histogram> {
  const counts = new Array<number>(boundaries.length + 1).fill(0)
  let count = 0
  let sum = 0
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  return {
    record(value) {
      let bucket = 0
      while (bucket < boundaries.length && value > (boundaries[bucket] ?? 0)) bucket += 1
      counts[bucket] = (counts[bucket] ?? 0) + 1
      count += 1
      sum += value
      if (value < min) min = value
      if (value > max) max = value
    },
    take(isDelta) {
      if (count === 0) return null
      const buckets = { boundaries: [...boundaries], counts: [...counts] }
      const taken = { buckets, count, sum, min, max }
      if (isDelta) {
        counts.fill(0)
        count = 0
        sum = 0
        min = Number.POSITIVE_INFINITY
        max = Number.NEGATIVE_INFINITY
      }
      return taken
    },
  }
}

function createSum(): CounterSeries & Taking<number> {
  let sum: number | null = null
  return {
    add(value) {
      sum = (sum ?? 0) + value
    },
    take(isDelta) {
      const taken = sum
      if (isDelta) sum = null
      return taken
    },
  }
}
