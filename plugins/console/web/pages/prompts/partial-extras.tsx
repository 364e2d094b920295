/** Parts of the page that only partials have: versions, and which one is published. */
import { call, urlOf } from '../../api.ts'
import { Versions } from '../../parts/versions.tsx'
import { useQuery } from '../../query.tsx'
import { useMay } from '../../session.tsx'
import type { ExtrasProps } from '../objects/extras.ts'
import { usePublish } from './publish.tsx'

export function PartialExtras({ row, object }: ExtrasProps) {
  const may = useMay()
  const path = { id: row.id }
  const { data, error, isBusy, reload } = useQuery(
    row.source === 'file'
      ? null
      : urlOf('/v1/prompts/partials/{id}/versions', { path, query: { page_size: 50 } }),
  )
  const published = typeof row.published_version === 'number' ? row.published_version : null
  const publishing = usePublish({
    object,
    published,
    put: (version) => call('POST', '/v1/prompts/partials/{id}/publish', { path, body: { version } }),
    onChanged: reload,
  })
  return (
    <Versions
      versions={(data?.data ?? []).map((one) => ({
        version: one.version,
        description: one.version_description,
        created_at: one.created_at,
        text: one.string,
      }))}
      isBusy={isBusy}
      error={publishing.error ?? error}
      published={published}
      onPublish={may(['prompts.publish']) ? publishing.publish : null}
    />
  )
}
