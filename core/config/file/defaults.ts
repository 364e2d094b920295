/** Defaults of the config file. The schema shows them to editors; `completeFile` fills them in. */
export const fileDefaults = {
  server: {
    host: '127.0.0.1',
    port: 8787,
    body_limit: '25mb',
    upload_limit: '25mb',
    shutdown_grace_ms: 30_000,
    max_waiting_requests: 1000,
    header_prefixes: ['x-gateway-'],
    stream_idle_timeout_ms: 60_000,
    cors: { max_age_seconds: 600 },
  },
  upstream: { max_answer_bytes: '64mb' },
  redis: { deadline_ms: 50, fail_closed: false },
  cache: {
    max_entries: 10_000,
    max_bytes: '256mb',
    default_max_age: 86_400,
    semantic: { threshold: 0.95, agreement: 'strict' as const, max_entries: 100_000, timeout_ms: 2000 },
  },
  plugins: { fail_closed: false, stream_window_chars: 200, stream_overlap_chars: 200 },
  logs: { bodies: 'full', max_body: '256kb', keep_original: false },
  files: { max_bytes: '512mb', max_total_bytes: '10gb', retention_days: 30 },
  batches: { concurrency: 25, total_concurrency: 100, poll_ms: 60_000 },
  telemetry: {
    service_name: 'gateway',
    sample_ratio: 1,
    capture_content: false,
    traces_interval_ms: 5000,
    metrics_interval_ms: 60_000,
  },
  workspace: 'default',
} as const
