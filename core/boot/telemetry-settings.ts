/**
 * The destinations of telemetry: `telemetry` of the config file, then the standard environment variables.
 * https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */

import type { ConfigFile, Environment } from '@gateway/config-file'
import type { TelemetrySettings } from '@gateway/contract'

const defaultServiceName = 'gateway'
const defaultTracesMs = 5000
const defaultMetricsMs = 60_000

/** Null if no collector is configured, or if both traces and metrics are off. */
export function telemetrySettings(
  file: ConfigFile['telemetry'],
  environment: Environment,
): TelemetrySettings | null {
  const urlOf = (signal: 'traces' | 'metrics'): string | null => {
    if (!file[signal]) return null
    if (file.otlp_endpoint !== null) return below(file.otlp_endpoint, signal)
    const own = environment[`OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`]
    if (own) return own
    const shared = environment.OTEL_EXPORTER_OTLP_ENDPOINT
    return shared ? below(shared, signal) : null
  }
  const tracesUrl = urlOf('traces')
  const metricsUrl = urlOf('metrics')
  if (tracesUrl === null && metricsUrl === null) return null
  const named = pairsOf(environment.OTEL_RESOURCE_ATTRIBUTES)
  const serviceName =
    file.service_name ?? (environment.OTEL_SERVICE_NAME || named['service.name'] || defaultServiceName)
  return {
    tracesUrl,
    metricsUrl,
    headers: file.headers ?? pairsOf(environment.OTEL_EXPORTER_OTLP_HEADERS),
    resource: { ...named, 'service.name': serviceName },
    sampleRatio: file.sample_ratio,
    capturesContent: file.capture_content,
    tracesIntervalMs: file.export_interval_ms ?? defaultTracesMs,
    metricsIntervalMs: file.export_interval_ms ?? defaultMetricsMs,
  }
}

const below = (endpoint: string, signal: string) => `${endpoint.replace(/\/+$/, '')}/v1/${signal}`

/** `name=value,name=value`, percent-encoded; malformed pairs are ignored. */
function pairsOf(text: string | undefined): Record<string, string> {
  const pairs = (text ?? '').split(',').flatMap((pair): [string, string][] => {
    const at = pair.indexOf('=')
    const name = pair.slice(0, at).trim()
    return at <= 0 || name === '' ? [] : [[name, decoded(pair.slice(at + 1).trim())]]
  })
  return Object.fromEntries(pairs)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    // The value is not percent-encoded at all.
    return text
  }
}
