/** The parts of a page that only prompts have: versions, and which one is published. */
import { useState } from 'preact/hooks'
import { type ApiError, call, type Json, urlOf } from '../api.ts'
import type { Item } from '../api-types.ts'
import { Alert } from '../parts/alert.tsx'
import { Badge, formatTime, textOf } from '../parts/cells.tsx'
import { DiffView } from '../parts/diff-view.tsx'
import { Table } from '../parts/table.tsx'
import { notify } from '../parts/toast.tsx'
import { asApiError, useQuery } from '../query.tsx'
import { useMay } from '../session.tsx'
import type { ExtrasProps } from './extras.ts'

type Version = Item<'/v1/prompts/{id}/versions'>

/** A template that is JSON is compared line by line. */
function templateOf(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return text.split('\n')
  }
}

const asText = (version: Version | undefined): string =>
  version === undefined
    ? ''
    : JSON.stringify(
        { model: version.model, template: templateOf(version.string ?? ''), parameters: version.parameters },
        null,
        2,
      )

export function PromptExtras({ row, onChanged }: ExtrasProps) {
  const may = useMay()
  const path = { id: row.id }
  const versions = useQuery(
    row.source === 'file' ? null : urlOf('/v1/prompts/{id}/versions', { path, query: { page_size: 50 } }),
  )
  const [error, setError] = useState<ApiError | null>(null)
  const [shown, setShown] = useState<Version | null>(null)
  const publish = async (version: number) => {
    setError(null)
    try {
      const put = async (one: number) => {
        await call('POST', '/v1/prompts/{id}/publish', { path, body: { version: one } })
        versions.reload()
        onChanged()
      }
      await put(version)
      const before = row.published_version
      notify(`Version ${version} is published.`, typeof before === 'number' ? () => put(before) : undefined)
    } catch (fault) {
      setError(asApiError(fault))
    }
  }
  const shownError = error ?? versions.error
  return (
    <section aria-busy={versions.isBusy ? 'true' : 'false'}>
      <h2>Versions</h2>
      {shownError !== null && <Alert>{shownError.message}</Alert>}
      <Table
        caption="Versions"
        rows={versions.data?.data ?? []}
        columns={[
          {
            name: 'version',
            label: 'Version',
            render: (one) => (
              <button type="button" class="link" onClick={() => setShown(one)}>
                Version {textOf(one.prompt_version)}
              </button>
            ),
          },
          {
            name: 'description',
            label: 'What changed',
            render: (one) => textOf(one.prompt_version_description),
          },
          { name: 'created_at', label: 'Created', render: (one) => formatTime(one.created_at) },
          {
            name: 'actions',
            label: 'Published',
            render: (one) => {
              const version = one.prompt_version
              if (version === row.published_version) return <Badge tone="good">published</Badge>
              return (
                may(['prompts.publish']) && (
                  <button type="button" onClick={() => void publish(version)}>
                    Publish
                  </button>
                )
              )
            },
          },
        ]}
      />
      {shown !== null && (
        <>
          <h3>Version {textOf(shown.prompt_version)} compared with the newest</h3>
          <DiffView label="Difference" before={asText(shown)} after={asText(versions.data?.data[0])} />
        </>
      )}
    </section>
  )
}
