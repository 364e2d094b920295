/** A replay: its progress, the report, and its pairs. Reloaded while the replay runs. */
import { useState } from 'preact/hooks'
import { call, urlOf } from '../../api.ts'
import type { Schema } from '../../api-types.ts'
import { Alert } from '../../parts/alert.tsx'
import { Facts, formatAmount, formatCents, formatTime, StatusBadge, textOf } from '../../parts/cells.tsx'
import { useChange } from '../../parts/change.tsx'
import { configText } from '../../parts/config-text.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { wordsOfMembers } from '../../parts/member-text.ts'
import { useKeyNames } from '../../parts/object-names.ts'
import { Page } from '../../parts/page.tsx'
import { Pairs } from '../../parts/pairs.tsx'
import { Progress } from '../../parts/progress.tsx'
import { targetText } from '../../parts/target-text.ts'
import { useQuery, useWhileSeen } from '../../query.tsx'
import { exportFilters } from '../../resources/members.ts'
import { Link, root } from '../../router.tsx'
import { useMay } from '../../session.tsx'
import { ReplayPairs } from './replay-pairs.tsx'
import { ReplayReport } from './replay-report.tsx'
import { doneOf, isRunning, nameOf, refreshMs } from './replay-text.ts'

type Replay = Schema<'ReplayReport'>

export function ReplayPage({ id }: { id: string }) {
  const may = useMay()
  const scopes = ['replays.read']
  const replay = useQuery(may(scopes) ? urlOf('/v1/replays/{id}', { path: { id } }) : null)
  const { data, error, isBusy, reload } = replay
  const [isAsked, setAsked] = useState(false)
  const { error: failure, change } = useChange(replay)
  useWhileSeen(() => {
    if (data !== null && isRunning(data)) reload()
  }, refreshMs)
  const cancel = () => {
    setAsked(false)
    change({
      expect: (shown) => ({ ...shown, status: 'cancelled' as const }),
      send: () => call('POST', '/v1/replays/{id}/cancel', { path: { id } }),
      said: () => ({ text: 'The replay was cancelled. Requests in flight complete.' }),
      refused: 'The replay was not cancelled',
    })
  }
  return (
    <Page
      title={data === null ? 'Replay' : nameOf(data)}
      isBusy={isBusy && data === null}
      error={error}
      onRetry={reload}
      scopes={scopes}
      actions={data !== null && <Actions replay={data} onCancel={() => setAsked(true)} />}
    >
      {failure !== null && <Alert>{failure.message}</Alert>}
      {data !== null && (
        <>
          <ReplayFacts replay={data} />
          <section>
            <h2>{isRunning(data) ? 'Report so far' : 'Report'}</h2>
            <ReplayReport replay={data} />
          </section>
          <ReplayPairs id={id} version={`${data.counts.completed} so far`} />
        </>
      )}
      {isAsked && (
        <Confirm
          title="Cancel this replay?"
          action="Cancel the replay"
          onConfirm={cancel}
          onClose={() => setAsked(false)}
        >
          <p>No further request is sent. The report of the pairs so far stays.</p>
        </Confirm>
      )}
    </Page>
  )
}

function Actions({ replay, onCancel }: { replay: Replay; onCancel: () => void }) {
  const may = useMay()
  return (
    <>
      {replay.type === 'replay' && may(['replays.create']) && (
        <Link to={`${root}/replays/new?like=${encodeURIComponent(replay.id)}`} class="button">
          Replay again
        </Link>
      )}
      {isRunning(replay) && may(['replays.update']) && (
        <button type="button" class="danger" onClick={onCancel}>
          Cancel
        </button>
      )}
    </>
  )
}

/** What is compared: a config, or one of its targets. */
function shadowText({ config, path }: NonNullable<Replay['shadow']>) {
  const name = config ?? 'an inline config'
  return <span title={path}>{path.includes('.targets[') ? `${targetText(path)} of ${name}` : name}</span>
}

function ReplayFacts({ replay }: { replay: Replay }) {
  const { counts, budget, shadow, config, source, judge_config: judge, type } = replay
  const named = useKeyNames([textOf(replay.api_key_id)])
  const isShadow = type === 'shadow'
  const notes = [
    counts.failed > 0 ? `${counts.failed} could not be compared` : '',
    counts.skipped > 0 ? `${counts.skipped} skipped` : '',
    counts.redacted > 0 ? `${counts.redacted} redacted` : '',
  ].filter(Boolean)
  return (
    <>
      {replay.error !== null && <Alert>{replay.error}</Alert>}
      <Facts
        rows={[
          ['Status', <StatusBadge value={replay.status.replace('_', ' ')} />],
          [
            'Pairs',
            isShadow ? (
              textOf(counts.completed)
            ) : (
              <Progress label="Pairs" done={doneOf(counts)} total={counts.total} />
            ),
          ],
          ...(notes.length > 0 ? [['Of these', notes.join(', ')] as const] : []),
          [
            'Cost',
            `${formatCents(replay.cost)}${budget === null ? '' : ` of ${formatAmount(budget, 'cost')}${isShadow ? ' a day' : ''}`}`,
          ],
          [
            'Candidate',
            typeof config === 'string' ? (
              <Link to={`${root}/configs/${encodeURIComponent(config)}`}>{config}</Link>
            ) : (
              configText(config)
            ),
          ],
          ...(shadow === null
            ? [
                [
                  'Requests',
                  Object.keys(source.filter).length === 0 ? (
                    'all of the last 7 days'
                  ) : (
                    <Pairs values={wordsOfMembers(exportFilters, source.filter)} />
                  ),
                ] as const,
              ]
            : [
                ['Shadow of', shadowText(shadow)] as const,
                ['Sample', `${shadow.sample_percent}% of the requests`] as const,
              ]),
          ...(judge === null ? [] : [['Judge', judge.criteria] as const]),
          ...(replay.api_key_id === null ? [] : [['Key', named(replay.api_key_id)] as const]),
          ['Created', formatTime(replay.created_at)],
          ...(replay.ended_at === null ? [] : [['Ended', formatTime(replay.ended_at)] as const]),
        ]}
      />
    </>
  )
}
