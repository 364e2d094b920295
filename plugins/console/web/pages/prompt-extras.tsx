/** What only prompts have: versions, and which of them is published. */
import { useState } from 'preact/hooks'
import { type ApiError, call, urlOf } from '../api.ts'
import { Alert } from '../parts/alert.tsx'
import { Badge, formatTime, textOf } from '../parts/cells.tsx'
import { Table } from '../parts/table.tsx'
import { notify } from '../parts/toast.tsx'
import { asApiError, useQuery } from '../query.tsx'
import { useMay } from '../session.tsx'
import type { ExtrasProps } from './extras.ts'

export function PromptExtras({ row, onChanged }: ExtrasProps) {
  const may = useMay()
  const path = { id: row.id }
  const versions = useQuery(
    row.source === 'file' ? null : urlOf('/v1/prompts/{id}/versions', { path, query: { page_size: 50 } }),
  )
  const [error, setError] = useState<ApiError | null>(null)
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
          { name: 'version', label: 'Version', render: (one) => textOf(one.prompt_version) },
          {
            name: 'description',
            label: 'What changed',
            render: (one) => textOf(one.prompt_version_description),
          },
          { name: 'created_at', label: 'Made', render: (one) => formatTime(one.created_at) },
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
    </section>
  )
}
