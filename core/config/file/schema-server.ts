/** The section `server` of the config file. */
import { Type } from '@sinclair/typebox'
import { fileDefaults } from './defaults.ts'
import { closed, optionalText, text } from './schema-limits.ts'
import { milliseconds, port, size } from './schema-values.ts'
import { sizePattern } from './size.ts'

export const serverSchema = Type.Object(
  {
    host: optionalText({ default: fileDefaults.server.host }),
    port: port({ default: fileDefaults.server.port }),
    body_limit: size(fileDefaults.server.body_limit),
    upload_limit: size(fileDefaults.server.upload_limit),
    drain_delay_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000 })),
    shutdown_grace_ms: milliseconds(fileDefaults.server.shutdown_grace_ms, 0),
    header_prefixes: Type.Optional(
      Type.Array(
        text({
          pattern: '^[A-Za-z][A-Za-z0-9-]*[A-Za-z0-9]-$',
          explain: 'must be a header name prefix that ends with a hyphen, such as x-acme-',
        }),
        { default: [...fileDefaults.server.header_prefixes] },
      ),
    ),
    stream_idle_timeout_ms: milliseconds(fileDefaults.server.stream_idle_timeout_ms, 1),
    metrics_port: port(),
    tls: Type.Optional(
      Type.Object(
        {
          cert: text({ description: 'A file with the certificate and its chain, in PEM.' }),
          key: text({
            description: 'A file with the private key of the certificate, in PEM, not encrypted.',
          }),
        },
        {
          ...closed,
          description:
            'Serves TLS on every listener. Paths are relative to the config file. Both files are reloaded when they change; a mismatched pair is ignored. Default: no TLS.',
        },
      ),
    ),
    admin_listener: Type.Optional(
      Type.Object(
        {
          host: optionalText({ default: fileDefaults.server.host }),
          port: Type.Integer({ minimum: 0, maximum: 65_535 }),
        },
        {
          ...closed,
          description:
            'A separate listener for management, /docs, /console and /metrics, which the main listener then answers with 404. It also serves everything else. Default: none; everything is on the main listener.',
        },
      ),
    ),
    trusted_proxies: Type.Optional(
      Type.Array(text(), {
        description:
          'Addresses and networks of proxies in front of the gateway. The client is the rightmost address in x-forwarded-for that is not one of them. Default: none; x-forwarded-for is ignored.',
      }),
    ),
    cors: Type.Optional(
      Type.Object(
        {
          origins: Type.Array(
            text({
              pattern: '^(?:\\*|[a-z][a-z0-9+.-]*://[^/?#@\\sA-Z]+)$',
              explain: 'must be an origin such as https://app.example in lower case without a path, or *',
            }),
            { minItems: 1, description: 'Exact origins, or * for any origin.' },
          ),
          max_age_seconds: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: 86_400,
              default: fileDefaults.server.cors.max_age_seconds,
              description: 'How long browsers may cache preflight answers.',
            }),
          ),
        },
        {
          ...closed,
          description:
            'Origins whose pages may call inference routes. Browser credentials (cookies) are never allowed. Default: none, without CORS headers.',
        },
      ),
    ),
    max_connections_per_address: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'The maximum number of open connections per address and process; further ones are closed at once. Connections from server.trusted_proxies do not count. Default: any number.',
      }),
    ),
    max_waiting_requests: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000,
        default: fileDefaults.server.max_waiting_requests,
        description:
          'The maximum number of requests that wait in the queue of one process; half of the places are for one key. Further requests are answered with 429.',
      }),
    ),
    max_buffered_bytes: Type.Optional(
      Type.Unsafe<string | number>({
        type: ['string', 'integer'],
        pattern: sizePattern,
        minimum: 1,
        explain: 'must be a size such as 512mb, or a number of bytes',
        description:
          'The memory for buffered requests and answers of one process. Default: a quarter of the smaller of its heap limit and the memory of its container. Beyond it, requests are answered with 503 overloaded.',
      }),
    ),
  },
  closed,
)
