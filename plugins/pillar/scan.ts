/**
 * Pillar Security's scanners: `pillar.scanPrompt` on a request, `pillar.scanResponse` on an answer.
 * Reference: https://docs.pillar.security/docs/api/introduction (for customers); `POST /scan/prompt` and
 * `/scan/response` with `{message, scanners}` answer with the findings of each scanner: `{"pii": true, "secrets": null, …}`.
 * Not confirmed by the vendor: the value for a finding other than true. Any value other than null and false counts as a
 * finding.
 * Errors: Error for a status that is not 2xx, and for an answer with none of the requested scanners.
 */
import type { Check, Phase } from '@gateway/contract'
import {
  type Filled,
  keyOf,
  postForObject,
  type Scope,
  scope,
  secret,
  textsOf,
  timeoutOf,
  unreadable,
  urlOf,
} from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'

const vendor = 'Pillar'

/** One row: a check, its texts, and its path. */
interface Row {
  id: string
  title: string
  phase: Phase
  path: string
  scanners: readonly string[]
}

const responseScanners = ['pii', 'secrets', 'toxic_language']

const rows: readonly Row[] = [
  {
    id: 'scanPrompt',
    title: 'Pillar prompt scan',
    phase: 'before',
    path: '/scan/prompt',
    scanners: ['prompt_injection', ...responseScanners, 'invisible_characters'],
  },
  {
    id: 'scanResponse',
    title: 'Pillar response scan',
    phase: 'after',
    path: '/scan/response',
    scanners: responseScanners,
  },
]

const parametersOf = ({ phase, scanners }: Row) =>
  Type.Object(
    {
      scanners: Type.Optional(
        Type.Array(Type.Unsafe<string>({ type: 'string', enum: [...scanners] }), {
          minItems: 1,
          uniqueItems: true,
          default: [...scanners],
          description: 'The scanners that must find nothing.',
        }),
      ),
      ...(phase === 'before' ? { scope } : {}),
      timeout: timeoutOf(5000),
      apiKey: secret('Overrides plugins.settings.pillar.apiKey.'),
    },
    { additionalProperties: false },
  )

type ScanParameters = Filled<ReturnType<typeof parametersOf>, 'scanners' | 'timeout'> & { scope?: Scope }

function checkOf(row: Row): Check<ScanParameters> {
  return {
    id: row.id,
    title: row.title,
    description:
      'Fails when one of the scanners finds something. The texts are sent to the vendor as one text.',
    kind: 'guardrail',
    phases: [row.phase],
    parameters: parametersOf(row),
    prepare({ scanners, scope = 'all', timeout, ...given }, settings) {
      const key = keyOf('pillar', { key: 'apiKey', url: 'baseUrl' }, { parameters: given, settings })
      const url = `${urlOf('baseUrl', {}, { settings, vendorUrl: 'https://api.pillar.security/api/v1' })}${row.path}`
      const wanted = Object.fromEntries(scanners.map((scanner) => [scanner, true]))
      return {
        async run(input, io) {
          const texts = textsOf(input, scope)
          if (texts.length === 0) return { verdict: true, data: { skipped: 'no text' } }
          const answer = await postForObject(io, vendor, {
            url,
            headers: { authorization: `Bearer ${key}` },
            json: { message: texts.map(({ text }) => text).join('\n'), scanners: wanted },
            timeoutMs: timeout,
          })
          if (!scanners.some((scanner) => Object.hasOwn(answer, scanner))) return unreadable(vendor)
          const found = scanners.filter((scanner) => (answer[scanner] ?? false) !== false)
          return { verdict: found.length === 0, data: { found } }
        },
      }
    },
  }
}

export const checks = rows.map(checkOf)
