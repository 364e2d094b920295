/** Parts of the page that only prompts have: versions, and which one is published. */
import { useState } from 'preact/hooks'
import { call, type Json, urlOf } from '../../api.ts'
import type { Item } from '../../api-types.ts'
import { Versions } from '../../parts/versions.tsx'
import { useQuery } from '../../query.tsx'
import { useOpened } from '../../router.tsx'
import { useMay } from '../../session.tsx'
import type { ExtrasProps } from '../objects/extras.ts'
import { NameVersion } from './name-version.tsx'
import { PromptTests } from './prompt-tests.tsx'
import { usePublish } from './publish.tsx'
import { PublishDialog } from './publish-dialog.tsx'
import { savedCases, useTestRuns } from './test-runs.tsx'

type Version = Item<'/v1/prompts/{id}/versions'>

/** Templates in JSON are compared line by line. */
function templateOf(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return text.split('\n')
  }
}

const asText = ({ model, string, parameters, variables_schema: variables }: Version): string =>
  JSON.stringify(
    {
      model,
      template: templateOf(string ?? ''),
      parameters,
      ...(variables === null || variables === undefined ? {} : { variables }),
    },
    null,
    2,
  )

export function PromptExtras({ row, etag, object }: ExtrasProps) {
  const may = useMay()
  const path = { id: row.id }
  const versions = useQuery(
    row.source === 'file' ? null : urlOf('/v1/prompts/{id}/versions', { path, query: { page_size: 50 } }),
  )
  const published = typeof row.published_version === 'number' ? row.published_version : null
  const { data, error, isBusy, reload } = versions
  const publishing = usePublish({
    object,
    published,
    put: (version) => call('POST', '/v1/prompts/{id}/publish', { path, body: { version } }),
    onChanged: reload,
  })
  const naming = useOpened('name')
  /** The version to confirm, because the prompt has test cases. */
  const [asked, setAsked] = useState<number | null>(null)
  const runs = useTestRuns(row)
  const cases = savedCases(row)
  const publish = cases.length > 0 && may(['completions.write']) ? setAsked : publishing.publish
  return (
    <>
      <Versions
        versions={(data?.data ?? []).map((one) => ({
          version: one.prompt_version,
          description: one.prompt_version_description ?? null,
          created_at: one.created_at,
          text: asText(one),
          labels: one.labels,
        }))}
        isBusy={isBusy}
        error={publishing.error ?? error}
        published={published}
        onPublish={may(['prompts.publish']) ? publish : null}
        onName={
          may(['prompts.update']) && row.source !== 'file' ? (version) => naming.open(String(version)) : null
        }
      />
      {data !== null && (
        <PromptTests
          {...{ row, etag, published, runs, object }}
          versions={data.data.map(({ prompt_version: version }) => version)}
        />
      )}
      {asked !== null && (
        <PublishDialog
          {...{ cases, runs }}
          version={asked}
          isRollback={published !== null && asked < published}
          onPublish={() => {
            setAsked(null)
            publishing.publish(asked)
          }}
          onClose={() => setAsked(null)}
        />
      )}
      {naming.opened !== null && data !== null && may(['prompts.update']) && (
        <NameVersion
          prompt={row}
          version={Number(naming.opened)}
          onClose={naming.close}
          versions={versions}
          onChanged={object.reload}
        />
      )}
    </>
  )
}
