/** The pairs of a replay, worst first, each with its request and both answers side by side. */
import { useState } from 'preact/hooks'
import { urlOf } from '../../api.ts'
import type { Item } from '../../api-types.ts'
import { Alert } from '../../parts/alert.tsx'
import { Badge, formatCents, formatMs, formatNumber, HttpStatus, textOf } from '../../parts/cells.tsx'
import { answerTurns, requestTurns, type Turn } from '../../parts/conversation.ts'
import { Conversation } from '../../parts/conversation-view.tsx'
import { Pager, pageOf, pageSize } from '../../parts/pager.tsx'
import { useQuery } from '../../query.tsx'
import { Link, root, useFilters, useOpened } from '../../router.tsx'
import { useMay } from '../../session.tsx'
import { problemText } from './replay-text.ts'

type Pair = Item<'/v1/replays/{id}/pairs'>

/** @param version changes when the replay has more pairs, which are then loaded again */
export function ReplayPairs({ id, version }: { id: string; version: string }) {
  const may = useMay()
  const [query] = useFilters()
  const { opened, open, close } = useOpened('pair')
  const { data, error, isBusy, reload } = useQuery(
    may(['logs.view'])
      ? urlOf('/v1/replays/{id}/pairs', {
          path: { id },
          query: { current_page: pageOf(query), page_size: pageSize },
        })
      : null,
  )
  return (
    <section aria-busy={isBusy ? 'true' : 'false'}>
      <div class="head">
        <h2>Pairs, worst first</h2>
        <button type="button" onClick={reload} aria-label={`Refresh the pairs, ${version}`}>
          Refresh
        </button>
      </div>
      {error !== null && <Alert onRetry={reload}>{error.message}</Alert>}
      {!may(['logs.view']) && <p class="note">You need the scope logs.view to see the answers.</p>}
      {data !== null && data.data.length === 0 && <p class="note">There is no pair yet.</p>}
      {data?.data.map((pair) => (
        <OnePair
          key={pair.position}
          pair={pair}
          isOpen={opened === String(pair.position + 1)}
          onToggle={(isNowOpen) => {
            const position = String(pair.position + 1)
            if (isNowOpen) open(position, true)
            else if (opened === position) close()
          }}
        />
      ))}
      {data !== null && <Pager total={data.total} shown={data.data.length} />}
    </section>
  )
}

/** The user's last message, on one line. */
function askedOf(turns: readonly Turn[]): string {
  const last = turns.findLast(({ role }) => role === 'user')
  const text = last?.parts.map((part) => ('text' in part ? part.text : part.name)).join(' ') ?? ''
  return text.replaceAll(/\s+/g, ' ').slice(0, 160)
}

interface PairProps {
  pair: Pair
  /** Whether the address names the pair. */
  isOpen: boolean
  onToggle: (isOpen: boolean) => void
}

function OnePair({ pair, isOpen, onToggle }: PairProps) {
  // Pairs that were opened earlier stay open: the address names only the last one.
  const [wasOpen] = useState(isOpen)
  const request = requestTurns(pair.request)
  const asked = askedOf(request)
  return (
    <details
      class="pair-item"
      open={wasOpen}
      onToggle={({ currentTarget: { open } }) => {
        if (open !== isOpen) onToggle(open)
      }}
    >
      <summary>
        <span class="first">{asked === '' ? `Pair ${pair.position + 1}` : asked}</span>
        {pair.problems.map((problem) => (
          <Badge key={problem} tone="bad">
            {problemText[problem]}
          </Badge>
        ))}
        {pair.redacted && <Badge tone="plain">redacted</Badge>}
        {pair.similarity !== null && <span class="note">similarity {formatNumber(pair.similarity)}</span>}
      </summary>
      <div class="pair-body">
        <h3>Request</h3>
        <Conversation label="Request" turns={request} empty="The request is no longer in the log." />
        <div class="both">
          <Side title="Baseline" side={pair.baseline} />
          <Side title="Candidate" side={pair.candidate} />
        </div>
        {pair.judge !== null && (
          <p>
            The judge: {pair.judge.winner === 'tie' ? 'a tie' : `the ${pair.judge.winner} is better`}
            {!pair.judge.agreed && ', but not in both orders'}. {pair.judge.reasons.join(' ')}
          </p>
        )}
      </div>
    </details>
  )
}

function Side({ title, side }: { title: string; side: Pair['baseline'] }) {
  const answer = side.answer
  const turns = answerTurns(answer)
  return (
    <section>
      <h3>
        {title}: {textOf(side.model)}
      </h3>
      <p class="note">
        <HttpStatus value={side.status} /> {formatCents(side.cost)}, {formatMs(side.latency_ms)},{' '}
        {formatNumber(side.output_tokens)} tokens out
        {side.finish !== null && `, ${side.finish}`}
        {side.is_valid_json === false && ', invalid JSON'}
        {side.log_id !== '' && (
          <>
            {' · '}
            <Link to={`${root}/logs/${encodeURIComponent(side.log_id)}`}>Log entry</Link>
          </>
        )}
      </p>
      {turns.length === 0 && answer !== null && answer !== undefined ? (
        <pre class="body" tabIndex={0} role="region" aria-label={`${title}, as logged`}>
          {JSON.stringify(answer, null, 2)}
        </pre>
      ) : (
        <Conversation
          label={`Answer of the ${title.toLowerCase()}`}
          turns={turns}
          empty="The answer is no longer in the log."
        />
      )}
    </section>
  )
}
