/** Parts of the page that only providers have: a test of the credential, and the enabled models. */
import { useState } from 'preact/hooks'
import { type ApiError, call, urlOf } from '../../api.ts'
import type { Answer } from '../../api-types.ts'
import { Alert } from '../../parts/alert.tsx'
import { Badge, formatMs, textOf } from '../../parts/cells.tsx'
import { useChange } from '../../parts/change.tsx'
import { TextField } from '../../parts/field.tsx'
import { Search } from '../../parts/search.tsx'
import { Table } from '../../parts/table.tsx'
import { UsageBars } from '../../parts/usage-bars.tsx'
import { asApiError, useQuery } from '../../query.tsx'
import { useFilters, useOpened } from '../../router.tsx'
import { useMay } from '../../session.tsx'
import type { ExtrasProps } from '../objects/extras.ts'
import { type Model, PriceDialog, type PricingConfig, priceText } from './model-price.tsx'
import { ReplaceCredential } from './replace-credential.tsx'

const reads = ['workspace_integrations.read', 'organisation_integrations.read']
const updates = ['workspace_integrations.update', 'organisation_integrations.update']
/** The maximum number of models in the table; others are found by search. */
const maxModels = 200

export function ProviderExtras({ row, object }: ExtrasProps) {
  const may = useMay()
  const replacing = useOpened('credential')
  const integration = textOf(row.integration_id)
  return (
    <>
      <UsageBars limits={row.usage_limits} />
      {may(reads) && row.integration_id !== null && (
        <>
          <Test integration={integration} />
          {row.source !== 'file' && may(updates) && (
            <div class="buttons">
              <button type="button" onClick={() => replacing.open('replace')}>
                Replace the credential
              </button>
            </div>
          )}
          {replacing.opened !== null && (
            <ReplaceCredential
              integration={integration}
              provider={textOf(row.provider)}
              onClose={replacing.close}
              onSaved={() => {
                replacing.close()
                object.reload()
              }}
            />
          )}
          <Models
            integration={integration}
            provider={textOf(row.provider)}
            canChange={row.source !== 'file' && may(updates)}
          />
        </>
      )}
    </>
  )
}

function Test({ integration }: { integration: string }) {
  const [model, setModel] = useState('')
  const [answer, setAnswer] = useState<Answer<'post', '/v1/integrations/{id}/test'> | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const [isBusy, setBusy] = useState(false)
  const test = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    setAnswer(null)
    try {
      const body = model.trim() === '' ? {} : { model: model.trim() }
      setAnswer(await call('POST', '/v1/integrations/{id}/test', { path: { id: integration }, body }))
    } catch (fault) {
      setError(asApiError(fault))
    }
    setBusy(false)
  }
  return (
    <section aria-busy={isBusy ? 'true' : 'false'}>
      <h2>Test the credential</h2>
      <form class="filters" onSubmit={(event) => void test(event)}>
        <TextField label="Model" value={model} onChange={setModel} />
        <button type="submit" disabled={isBusy}>
          Test
        </button>
      </form>
      {error !== null && <Alert>{error.message}</Alert>}
      <div role="status">
        {answer !== null && (
          <p>
            <Badge tone={answer.success === true ? 'good' : 'bad'}>
              {answer.success === true ? 'works' : 'does not work'}
            </Badge>{' '}
            {answer.status_code !== undefined && `status ${textOf(answer.status_code)}, `}
            {formatMs(answer.response_time_ms)}
            {answer.error !== undefined && `: ${textOf(answer.error)}`}
          </p>
        )}
      </div>
    </section>
  )
}

interface ModelsProps {
  integration: string
  /** The provider's name in the pricing route. */
  provider: string
  canChange: boolean
}

function Models({ integration, provider, canChange }: ModelsProps) {
  const price = useOpened('price')
  const [query] = useFilters()
  const path = { id: integration }
  const models = useQuery(
    urlOf('/v1/integrations/{id}/models', { path, query: { search: query.get('search') } }),
  )
  const rows = models.data?.models ?? []
  const priced = rows.find(({ slug }) => slug === price.opened)
  const { error, attempt, change } = useChange(models)
  const expecting = (slug: string, changes: Partial<Model>) => (data: NonNullable<typeof models.data>) => ({
    ...data,
    models: data.models.map((one) => (one.slug === slug ? { ...one, ...changes } : one)),
  })
  const turn = (slug: string, isEnabled: boolean) => {
    const put = (enabled: boolean) =>
      call('PUT', '/v1/integrations/{id}/models', { path, body: { models: [{ slug, enabled }] } })
    change({
      expect: expecting(slug, { enabled: isEnabled }),
      send: () => put(isEnabled),
      said: () => ({ text: `${slug} was turned ${isEnabled ? 'on' : 'off'}.`, undo: () => put(!isEnabled) }),
      refused: `${slug} was not turned ${isEnabled ? 'on' : 'off'}`,
    })
  }
  const setPrice = async ({ slug, enabled, pricing_config: before }: Model, next: PricingConfig | null) => {
    const put = (config: PricingConfig | null) =>
      call('PUT', '/v1/integrations/{id}/models', {
        path,
        body: { models: [{ slug, enabled, pricing_config: config }] },
      })
    await attempt({
      expect: expecting(slug, { pricing_config: next }),
      send: () => put(next),
      said: () => ({ text: `The price of ${slug} was saved.`, undo: () => put(before ?? null) }),
      refused: `The price of ${slug} was not saved`,
    })
    price.close()
  }
  const shownError = error ?? models.error
  return (
    <section aria-busy={models.isBusy ? 'true' : 'false'}>
      <h2>Models</h2>
      {shownError !== null && <Alert>{shownError.message}</Alert>}
      <div class="filters">
        <Search />
      </div>
      <Table
        caption="Models"
        rows={rows.slice(0, maxModels)}
        empty="No models are listed, so all models of the provider are allowed."
        columns={[
          { name: 'slug', label: 'Model', render: (row) => <code>{textOf(row.slug)}</code> },
          ...(rows.some(({ name }) => name !== null && name !== undefined)
            ? [{ name: 'name', label: 'Name', render: (row: Model) => textOf(row.name) }]
            : []),
          {
            name: 'enabled',
            label: 'On',
            render: (row) => (
              <input
                type="checkbox"
                aria-label={`${textOf(row.slug)} is on`}
                checked={row.enabled === true}
                disabled={!canChange}
                onChange={(event) => turn(String(row.slug), event.currentTarget.checked)}
              />
            ),
          },
          {
            name: 'pricing_config',
            label: 'Price',
            render: (row) =>
              canChange ? (
                <button
                  type="button"
                  class="link"
                  aria-label={`Price of ${textOf(row.slug)}: ${priceText(row.pricing_config)}`}
                  onClick={() => price.open(row.slug)}
                >
                  {priceText(row.pricing_config)}
                </button>
              ) : (
                priceText(row.pricing_config)
              ),
          },
        ]}
      />
      {priced !== undefined && canChange && (
        <PriceDialog
          provider={provider}
          model={priced}
          onClose={price.close}
          onSave={(next) => setPrice(priced, next)}
        />
      )}
      {rows.length > maxModels && (
        <p>
          Showing the first {maxModels} of {rows.length} models. Search to find others.
        </p>
      )}
    </section>
  )
}
