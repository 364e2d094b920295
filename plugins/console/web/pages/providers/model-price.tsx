/** The price of an integration's model: edited in US dollars per million tokens, stored in US cents per token. */
import { useState } from 'preact/hooks'
import { type ApiError, call, urlOf } from '../../api.ts'
import type { Answer, Body } from '../../api-types.ts'
import { Alert } from '../../parts/alert.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { TextField } from '../../parts/field.tsx'
import { asApiError, useQuery } from '../../query.tsx'

/** Converts cents per token to dollars per million tokens. */
const dollarsPerMillion = 10_000

const classes = [
  ['request_token', 'Input'],
  ['response_token', 'Output'],
  ['cache_read_input_token', 'Cached input'],
] as const

type PricingConfig = NonNullable<
  Body<'put', '/v1/integrations/{id}/models'>['models'][number]['pricing_config']
>
type Prices = PricingConfig['pay_as_you_go']
export type Model = Answer<'get', '/v1/integrations/{id}/models'>['models'][number]

const pricesOf = (config: Model['pricing_config']): Prices => config?.pay_as_you_go ?? {}

const dollarsOf = (prices: Prices, name: (typeof classes)[number][0]): string => {
  const price = prices[name]?.price
  return typeof price === 'number' ? String(Number((price * dollarsPerMillion).toPrecision(12))) : ''
}

/** The text in the table. */
export function priceText(config: Model['pricing_config']): string {
  const prices = pricesOf(config)
  const parts = classes.flatMap(([name, label]) => {
    const text = dollarsOf(prices, name)
    // $1.50, but $3.
    return text === '' ? [] : [`${label.toLowerCase()} $${text.replace(/\.\d$/, '$&0')}`]
  })
  return parts.length === 0 ? 'list price' : `${parts.join(', ')} per million tokens`
}

interface Props {
  /** The id of the integration. */
  integration: string
  provider: string
  model: Model
  onClose: () => void
  /** @param undo sets the previous price again */
  onSaved: (undo: () => Promise<void>) => void
}

export function PriceDialog({ integration, provider, model, onClose, onSaved }: Props) {
  const { slug } = model
  const own = pricesOf(model.pricing_config)
  const listed = useQuery(
    urlOf('/v1/model-configs/pricing/{provider}/{model}', { path: { provider, model: slug } }),
  )
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(
    Object.fromEntries(classes.map(([name]) => [name, dollarsOf(own, name)])),
  )
  const [error, setError] = useState<ApiError | null>(null)
  const [faulty, setFaulty] = useState<readonly string[]>([])
  const put = async (config: PricingConfig | null) => {
    await call('PUT', '/v1/integrations/{id}/models', {
      path: { id: integration },
      body: { models: [{ slug, enabled: model.enabled, pricing_config: config }] },
    })
  }
  const send = async (config: PricingConfig | null) => {
    try {
      await put(config)
      onSaved(() => put(model.pricing_config ?? null))
    } catch (fault) {
      setError(asApiError(fault))
    }
  }
  const save = async (event: Event) => {
    event.preventDefault()
    const wrong = classes
      .map(([name]) => name)
      .filter((name) => texts[name] !== '' && !(Number(texts[name]) >= 0))
    setFaulty(wrong)
    if (wrong.length > 0) return
    // Classes without a field here stay unchanged.
    const prices: Prices = { ...own }
    for (const [name] of classes) {
      const text = (texts[name] ?? '').trim()
      if (text === '') delete prices[name]
      else prices[name] = { price: Number(text) / dollarsPerMillion }
    }
    await send(Object.keys(prices).length === 0 ? null : { type: 'static', pay_as_you_go: prices })
  }
  const list: Prices = listed.data?.pay_as_you_go ?? {}
  return (
    <Dialog title={`Price of ${slug}`} onClose={onClose}>
      <p class="about">US dollars for a million tokens. A price that you set replaces the list price.</p>
      {error !== null && <Alert>{error.message}</Alert>}
      <form onSubmit={(event) => void save(event)} noValidate>
        {classes.map(([name, label]) => (
          <TextField
            key={name}
            label={label}
            value={texts[name] ?? ''}
            onChange={(text) => setTexts({ ...texts, [name]: text })}
            placeholder={dollarsOf(list, name)}
            fault={faulty.includes(name) ? 'This is not a number of 0 or more.' : null}
          />
        ))}
        <div class="buttons">
          <button type="submit" class="primary">
            Save
          </button>
          {model.pricing_config !== null && (
            <button type="button" onClick={() => void send(null)}>
              Use the list price
            </button>
          )}
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
