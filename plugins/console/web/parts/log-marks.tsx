/** Marks of a request in the list: retried, fell back, hedged, from the cache, denied. */
import type { Row } from '../api.ts'
import { Badge } from './cells.tsx'

interface Mark {
  text: string
  /** The tooltip. */
  title: string
  tone: 'plain' | 'good' | 'bad' | 'warn'
}

const count = (value: unknown): number => (typeof value === 'number' ? value : 0)

const cacheTexts: Readonly<Record<string, string>> = {
  HIT: 'cache',
  'SEMANTIC HIT': 'semantic cache',
}

function marksOf(row: Row): Mark[] {
  const retries = count(row.retry_count)
  const cache = cacheTexts[String(row.cache_status)]
  const possible: readonly (readonly [boolean, Mark])[] = [
    [
      row.response_status_code === 446 || row.guardrail_verdict === false,
      row.response_status_code === 446
        ? { text: 'denied', title: 'A guardrail denied it.', tone: 'bad' }
        : { text: 'check failed', title: 'A guardrail failed without denying it.', tone: 'warn' },
    ],
    [
      retries > 0,
      {
        text: retries > 1 ? `${retries} retries` : 'retry',
        title: 'A target was called again after an error.',
        tone: 'warn',
      },
    ],
    [
      row.is_fallback === true,
      { text: 'fallback', title: 'Another target was called because one failed.', tone: 'warn' },
    ],
    [
      count(row.hedge_count) > 0,
      { text: 'hedge', title: 'A second target was called because the first one was slow.', tone: 'plain' },
    ],
    [
      cache !== undefined,
      { text: cache ?? '', title: 'Answered without a call to a provider.', tone: 'good' },
    ],
    [row.is_partial === true, { text: 'cut off', title: 'The stream ended before its end.', tone: 'warn' }],
  ]
  return possible.flatMap(([isSo, mark]) => (isSo ? [mark] : []))
}

export const LogMarks = ({ row }: { row: Row }) => (
  <span class="marks">
    {marksOf(row).map(({ text, title, tone }) => (
      <span key={text} title={title}>
        <Badge tone={tone}>{text}</Badge>
      </span>
    ))}
  </span>
)
