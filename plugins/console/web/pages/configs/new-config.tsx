/** Content next to the form of a new config: its tree, and a dry run of the draft on requests of the last hour. */
import { useState } from 'preact/hooks'
import { isRow, type Row } from '../../api.ts'
import { useMay } from '../../session.tsx'
import type { BesideProps } from '../objects/extras.ts'
import { ConfigBuilder } from './config-builder.tsx'
import { useDryRun } from './dry-run.tsx'
import { LastHourPanel } from './last-hour-panel.tsx'

function draftIn(text: string): Row | null {
  try {
    const draft: unknown = JSON.parse(text)
    return isRow(draft) ? draft : null
  } catch {
    // The editor shows where the JSON is invalid.
    return null
  }
}

export function NewConfig({ texts, history }: BesideProps) {
  const may = useMay()
  const mayRun = may(['completions.write'])
  const text = texts.config ?? ''
  const workspace = texts.workspace_id ?? null
  const draft = draftIn(text)
  const [first] = useState(text)
  // An unchanged form shows no errors.
  const isRun = mayRun && text !== first && draft !== null && workspace !== null
  const dryRun = useDryRun({ workspace_id: workspace }, draft, isRun)
  return (
    <>
      <ConfigBuilder
        {...{ text, history, workspace }}
        answer={isRun ? dryRun.answer : null}
        isFixed={false}
        saved={draft ?? {}}
      />
      {mayRun && may(['logs.list']) && draft !== null && (
        <LastHourPanel config={draft} workspace={workspace} slug={null} isSaved={false} />
      )}
    </>
  )
}
