/**
 * Parts of the page that only configs have: the routing tree, a dry run, shadows, the rollout, and versions with
 * comparison and rollback.
 */
import { useState } from 'preact/hooks'
import { call, type Row, urlOf } from '../../api.ts'
import type { Schema } from '../../api-types.ts'
import { rowOf } from '../../json.ts'
import { Alert } from '../../parts/alert.tsx'
import { Badge, formatTime, textOf } from '../../parts/cells.tsx'
import { useChange } from '../../parts/change.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { DiffView } from '../../parts/diff-view.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useQuery, useWhileSeen } from '../../query.tsx'
import { Link, root, useOpened } from '../../router.tsx'
import { useMay } from '../../session.tsx'
import type { ExtrasProps } from '../objects/extras.ts'
import { ConfigBuilder } from './config-builder.tsx'
import { ConfigShadows } from './config-shadows.tsx'
import { draftOf, useDryRun } from './dry-run.tsx'
import { DryRunPanel } from './dry-run-panel.tsx'
import { LastHourPanel } from './last-hour-panel.tsx'
import { RolloutPanel, StartRollout } from './rollout-panel.tsx'
import { refreshMs } from './routing-tree.tsx'

type Version = Schema<'ConfigVersion'>

const asText = (row: Row | undefined) => JSON.stringify(row?.config ?? null, null, 2)

export function ConfigExtras({ row, draft: texts, history, object }: ExtrasProps) {
  const may = useMay()
  const mayRun = may(['completions.write'])
  const draft = draftOf(texts.config, row.config)
  const dryRun = useDryRun(row, draft, mayRun)
  useWhileSeen(() => {
    if (mayRun && !dryRun.isBusy && dryRun.error === null) void dryRun.refresh()
  }, refreshMs)
  const workspace = typeof row.workspace_id === 'string' ? row.workspace_id : null
  return (
    <>
      <ConfigBuilder
        text={texts.config ?? ''}
        history={history}
        answer={dryRun.answer}
        workspace={workspace}
        isFixed={row.source === 'file' || !may(['configs.update'])}
        saved={row.config}
      />
      {mayRun && <DryRunPanel dryRun={dryRun} isDraft={draft !== null} />}
      {mayRun && may(['logs.list']) && (
        <LastHourPanel
          config={draft ?? rowOf(row.config)}
          workspace={workspace}
          slug={textOf(row.slug)}
          isSaved={draft === null}
        />
      )}
      <ConfigShadows row={row} />
      <RolloutPanel key={String(rowOf(row.rollout).id)} row={row} onChanged={object.reload} />
      <ConfigVersions row={row} object={object} />
    </>
  )
}

/** The versions of a config, and the change that makes an earlier one live again. */
function useVersions(row: Row, object: ExtrasProps['object']) {
  const path = { id: row.id }
  const versions = useQuery(
    row.source === 'file' ? null : urlOf('/v1/configs/{id}/versions', { path, query: { page_size: 50 } }),
  )
  const { error, change } = useChange(object, versions.reload)
  const live = Number(row.live_version ?? row.version)
  const rollBack = (to: Version) => {
    const put = (version: number) => call('POST', '/v1/configs/{id}/rollback', { path, body: { version } })
    change({
      // The rollback is a new version with the content of the old one. Its row is in the list a moment later.
      expect: (shown) => ({ ...shown, config: to.config, live_version: to.version }),
      send: () => put(to.version),
      said: () => ({
        text: `The content of version ${textOf(to.version)} is active again.`,
        undo: () => put(live),
      }),
      refused: `Version ${textOf(to.version)} was not made live`,
    })
  }
  return {
    rows: versions.data?.data ?? [],
    isBusy: versions.isBusy,
    error: error ?? versions.error,
    live,
    rollBack,
  }
}

function ConfigVersions({ row, object }: Pick<ExtrasProps, 'row' | 'object'>) {
  const may = useMay()
  const canChange = may(['configs.update'])
  const { rows, isBusy, error, live, rollBack } = useVersions(row, object)
  const comparison = useOpened('compare')
  const shown = rows.find(({ version }) => String(version) === comparison.opened)
  const [asked, setAsked] = useState<Version | null>(null)
  const rollout = useOpened('roll_out')
  const actions = actionsColumn(live, { canChange, onRollOut: rollout.open, onMakeLive: setAsked })
  return (
    <>
      <section class="across" aria-busy={isBusy ? 'true' : 'false'}>
        <div class="head">
          <h2>Versions</h2>
          {may(['replays.create']) && (
            <Link to={`${root}/replays/new?config=${encodeURIComponent(textOf(row.slug))}`} class="button">
              Replay requests against this config
            </Link>
          )}
        </div>
        {error !== null && <Alert>{error.message}</Alert>}
        <Table
          caption="Versions"
          rows={rows}
          columns={[...versionColumns(comparison.open), ...(rows.length > 1 ? [actions] : [])]}
        />
        {shown !== undefined && (
          <>
            <h3>Version {textOf(shown.version)} compared with now</h3>
            <DiffView label="Difference" before={asText(shown)} after={asText(row)} />
          </>
        )}
      </section>
      {asked !== null && (
        <ConfirmLive
          version={asked.version}
          live={live}
          onConfirm={() => {
            setAsked(null)
            rollBack(asked)
          }}
          onClose={() => setAsked(null)}
        />
      )}
      {rollout.opened !== null && canChange && (
        <StartRollout
          config={row.id}
          version={Number(rollout.opened)}
          onClose={rollout.close}
          object={object}
        />
      )}
    </>
  )
}

const versionColumns = (compare: (version: string) => void): readonly Column<Version>[] => [
  {
    name: 'version',
    label: 'Version',
    render: (one) => (
      <button type="button" class="link" onClick={() => compare(String(one.version))}>
        Version {textOf(one.version)}
      </button>
    ),
  },
  {
    name: 'created_at',
    label: 'Created',
    render: (one) => formatTime(one.created_at),
  },
  {
    name: 'updated_by',
    label: 'By',
    render: (one) => textOf(one.updated_by),
  },
]

interface VersionActions {
  canChange: boolean
  onRollOut: (version: string) => void
  onMakeLive: (version: Version) => void
}

const actionsColumn = (
  live: number,
  { canChange, onRollOut, onMakeLive }: VersionActions,
): Column<Version> => ({
  name: 'actions',
  label: 'Actions',
  render: (one) => {
    if (one.version === live) return <Badge tone="good">live</Badge>
    if (!canChange) return ''
    return (
      <div class="buttons">
        <button type="button" onClick={() => onRollOut(String(one.version))}>
          Roll out
        </button>
        <button type="button" onClick={() => onMakeLive(one)}>
          {one.version > live ? 'Make live' : 'Roll back'}
        </button>
      </div>
    )
  },
})

interface ConfirmProps {
  version: number
  live: number
  onConfirm: () => void
  onClose: () => void
}

const ConfirmLive = ({ version, live, onConfirm, onClose }: ConfirmProps) => (
  <Confirm
    title={
      version > live ? `Make version ${textOf(version)} live?` : `Roll back to version ${textOf(version)}?`
    }
    action={version > live ? 'Make live' : 'Roll back'}
    onConfirm={onConfirm}
    onClose={onClose}
  >
    <p>This creates a new version with its content. You can undo it for a moment afterwards.</p>
  </Confirm>
)
