/**
 * The SDK's exporter of traces over HTTP, with its retries, timeouts, compression and environment variables, for bodies
 * that are already serialized. https://opentelemetry.io/docs/specs/otlp/#otlphttp
 */
import { ExportResultCode } from '@opentelemetry/core'
import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base'
import {
  convertLegacyHttpOptions,
  createOtlpHttpExportDelegate,
} from '@opentelemetry/otlp-exporter-base/node-http'
import {
  type IExportTraceServiceResponse,
  type ISerializer,
  JsonTraceSerializer,
} from '@opentelemetry/otlp-transformer'

export interface SpanExporterOptions {
  url: string
  headers: Readonly<Record<string, string>>
  /** The limit for one export including its retries. */
  timeoutMs: number
}

interface Export {
  body: Buffer
  count: number
}

interface SpanExporter {
  /** Returns null, or why the collector did not accept it. */
  send(spans: Export): Promise<string | null>
  close(): Promise<void>
}

const written: ISerializer<Export, IExportTraceServiceResponse> = {
  serializeRequest: ({ body }) => body,
  deserializeResponse: (bytes) => JsonTraceSerializer.deserializeResponse(bytes),
}

export function createSpanExporter({ url, headers, timeoutMs }: SpanExporterOptions): SpanExporter {
  const given = { url, headers: { ...headers }, timeoutMillis: timeoutMs }
  const options = convertLegacyHttpOptions(given, 'TRACES', 'v1/traces', {
    'Content-Type': 'application/json',
  })
  const counting = { name: 'span', countItems: ({ count }: Export) => count } as const
  const exporter = new OTLPExporterBase(
    createOtlpHttpExportDelegate(options, written, 'otlp_http_span_exporter', counting, undefined),
  )
  return {
    send: (spans) =>
      new Promise((resolve) => {
        exporter.export(spans, ({ code, error }) => {
          resolve(code === ExportResultCode.SUCCESS ? null : (error?.message ?? 'the export failed'))
        })
      }),
    close: () => exporter.shutdown(),
  }
}
