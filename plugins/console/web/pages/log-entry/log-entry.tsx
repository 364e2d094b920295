/** One request: a summary in words, the conversation, the steps with their times, and the complete log entry. */
import { type Row, urlOf } from '../../api.ts'
import type { Schema } from '../../api-types.ts'
import { rowOf, rowsOf } from '../../json.ts'
import { Body } from '../../parts/body.tsx'
import { cacheText } from '../../parts/cache-text.ts'
import {
  Facts,
  formatCents,
  formatMs,
  formatNumber,
  formatTime,
  HttpStatus,
  textOf,
} from '../../parts/cells.tsx'
import { answerTurns, requestTurns, type Turn } from '../../parts/conversation.ts'
import { Conversation } from '../../parts/conversation-view.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { curlOf } from '../../parts/curl.ts'
import { endpointText } from '../../parts/endpoint-text.ts'
import { GuardrailVerdicts } from '../../parts/guardrail-verdicts.tsx'
import { attemptError, causeOf, limitParamsOf, waitsOf } from '../../parts/log-cause.ts'
import { useKeyNames, useLimitNames } from '../../parts/object-names.ts'
import { Page } from '../../parts/page.tsx'
import { Pairs } from '../../parts/pairs.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { targetText } from '../../parts/target-text.ts'
import { Waterfall } from '../../parts/waterfall.tsx'
import { useQuery } from '../../query.tsx'
import { Link, root } from '../../router.tsx'
import { useMay } from '../../session.tsx'
import { routingOf, startOfEntry } from '../playground/playground-from-log.ts'
import { SaveButtons } from '../playground/playground-save.tsx'
import { openPlayground } from '../playground/playground-start.ts'
import { callOf, emptyTarget } from '../playground/playground-target.tsx'

export function LogEntryPage({ id }: { id: string }) {
  const { data, error, isBusy, reload } = useQuery(urlOf('/v1/logs/{id}', { path: { id } }))
  const may = useMay()
  const request = rowOf(data?.request)
  return (
    <Page
      title="Log entry"
      isBusy={isBusy}
      error={error}
      onRetry={reload}
      scopes={['logs.view']}
      actions={
        data !== null && (
          <>
            <CopyButton
              text={curlOf(
                String(request.url ?? data.request_url),
                request.body ?? null,
                routingOf(rowOf(request.headers)),
              )}
              label="Copy as curl"
            />
            {may(['replays.create']) && (
              <Link
                to={`${root}/replays/new?trace_id=${encodeURIComponent(textOf(data.trace_id))}`}
                class="button"
              >
                Replay
              </Link>
            )}
            <button type="button" onClick={() => openPlayground({ log: id })}>
              To playground
            </button>
          </>
        )
      }
    >
      {data !== null && <Entry row={data} />}
    </Page>
  )
}

function Entry({ row }: { row: Schema<'LogEntry'> }) {
  const request = rowOf(row.request)
  const response = rowOf(row.response)
  const attempts = rowsOf(row.attempts)
  const answered = answerTurns(response.body)
  const turns = [...requestTurns(request.body), ...answered]
  return (
    <>
      <Causes row={row} />
      <div class="beside">
        <section>
          <h2>Conversation</h2>
          <Conversation
            label="Conversation"
            turns={turns}
            empty="The bodies of this request have no text to read, or were not logged."
          />
          {turns.length > 0 && <SaveEntry row={row} answer={textOfTurns(answered)} />}
        </section>
        <EntryFacts row={row} />
      </div>
      <section>
        <h2>Attempts</h2>
        <Table
          caption="Attempts"
          rows={attempts}
          empty={row.ai_org == null ? 'No provider was called.' : 'No attempts were recorded.'}
          columns={attemptColumns}
        />
      </section>
      <section>
        <h2>Steps</h2>
        <Waterfall row={row} />
      </section>
      {row.hook_results !== null && (
        <section>
          <h2>Guardrails</h2>
          <GuardrailVerdicts results={row.hook_results} />
        </section>
      )}
      <details class="raw" open={turns.length === 0}>
        <summary>As logged: bodies, headers and steps</summary>
        <Body title="Request" value={request.body} isCut={request.body_truncated === true} />
        <Body title="Request headers" value={request.headers} />
        <Body title="Answer" value={response.body} isCut={response.body_truncated === true} />
        <Body title="Answer headers" value={response.headers} />
        {row.decisions !== null && <Body title="Steps" value={row.decisions} />}
      </details>
    </>
  )
}

/** What happened, in words. */
function Causes({ row }: { row: Schema<'LogEntry'> }) {
  const isError = typeof row.response_status_code !== 'number' || row.response_status_code >= 400
  const limitName = useLimitNames(limitParamsOf(row.decisions))
  const causes = causeOf(row, limitName)
  const withKeys = useKeyNames(causes)
  return (
    <section class={isError ? 'cause bad' : 'cause'} aria-label="What happened">
      <ul>
        {causes.map((sentence) => (
          <li key={sentence}>{withKeys(sentence)}</li>
        ))}
      </ul>
    </section>
  )
}

const attemptColumns: readonly Column<Row>[] = [
  {
    name: 'path',
    label: 'Target',
    render: (one) => <span title={textOf(one.path)}>{targetText(textOf(one.path))}</span>,
  },
  { name: 'provider', label: 'Provider', render: (one) => textOf(one.provider) },
  { name: 'model', label: 'Model', render: (one) => textOf(one.model) },
  { name: 'status', label: 'Status', render: (one) => <HttpStatus value={one.status} /> },
  { name: 'error', label: 'Error', render: (one) => attemptError(one) || '–' },
  { name: 'reason', label: 'Reason', render: (one) => textOf(one.reason) },
  { name: 'duration', label: 'Time', isNumber: true, render: (one) => formatMs(one.duration_ms) },
]

/** The text of an answer, without tool calls and reasoning. */
const textOfTurns = (turns: readonly Turn[]): string =>
  turns.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []))).join('\n')

/** Saves a request with messages as a version or a test case of a prompt. */
function SaveEntry({ row, answer }: { row: Schema<'LogEntry'>; answer: string }) {
  const { target, ...asked } = startOfEntry(row)
  const whole = { ...emptyTarget, ...target }
  const call = callOf(whole, asked)
  const isEmpty = asked.message === '' && asked.turns === '' && asked.system === ''
  return whole.prompt === '' && isEmpty ? null : (
    <SaveButtons {...{ call, answer }} place={0} prompt={whole.prompt} workspace={asked.workspace} />
  )
}

function EntryFacts({ row }: { row: Schema<'LogEntry'> }) {
  const named = useKeyNames([textOf(row.api_key_id)])
  const waited = waitsOf(row.decisions)
  return (
    <Facts
      rows={[
        ['ID', <code>{textOf(row.id)}</code>],
        ['Time', formatTime(row.created_at)],
        ['Status', <HttpStatus value={row.response_status_code} />],
        [
          'Endpoint',
          <>
            {endpointText(textOf(row.endpoint_type))} <code>{textOf(row.endpoint_type)}</code>
          </>,
        ],
        ['Model', textOf(row.ai_model ?? row.requested_model)],
        ['Provider', textOf(row.provider ?? row.ai_org)],
        ...(typeof row.api_key_id === 'string'
          ? [
              [
                'Key',
                <Link to={`${root}/keys/${encodeURIComponent(row.api_key_id)}`}>
                  {named(row.api_key_id)}
                </Link>,
              ] as const,
            ]
          : []),
        ['Config', textOf(row.config)],
        ['Tokens', `${formatNumber(row.req_units)} in, ${formatNumber(row.res_units)} out`],
        ['Cost', row.cost_known === false ? 'unknown' : formatCents(row.cost)],
        ['Latency', formatMs(row.response_time)],
        ['First token', formatMs(row.time_to_first_token)],
        ['Provider’s time', formatMs(row.upstream_time)],
        ['Gateway’s time', formatMs(row.gateway_time)],
        ...(waited > 0 ? [['Waits before retries', formatMs(waited)] as const] : []),
        ['Cache', cacheText(row.cache_status)],
        [
          'Trace',
          <Link to={`${root}/traces/${encodeURIComponent(String(row.trace_id))}`}>
            {textOf(row.trace_id)}
          </Link>,
        ],
        ['Metadata', <Pairs values={rowOf(row.metadata)} />],
      ]}
    />
  )
}
