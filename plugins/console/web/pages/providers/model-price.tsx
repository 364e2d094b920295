/** The price of an integration's model: edited in US dollars per million tokens, stored in US cents per token. */
import { useState } from 'preact/hooks'
import { urlOf } from '../../api.ts'
import type { Answer, Body } from '../../api-types.ts'
import { TextField } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { useQuery } from '../../query.tsx'

/** Converts cents per token to dollars per million tokens. */
const dollarsPerMillion = 10_000

const classes = [
  ['request_token', 'Input'],
  ['response_token', 'Output'],
  ['cache_read_input_token', 'Cached input'],
] as const

export type PricingConfig = NonNullable<
  Body<'put', '/v1/integrations/{id}/models'>['models'][number]['pricing_config']
>
type Prices = PricingConfig['pay_as_you_go']
export type Model = Answer<'get', '/v1/integrations/{id}/models'>['models'][number]

const pricesOf = (config: Model['pricing_config']): Prices => config?.pay_as_you_go ?? {}

const dollarsOf = (prices: Prices, name: (typeof classes)[number][0]): string => {
  const price = prices[name]?.price
  return typeof price === 'number' ? String(Number((price * dollarsPerMillion).toPrecision(12))) : ''
}

/** Formats a price for the table. */
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
  provider: string
  model: Model
  onClose: () => void
  /** @param price null for the list price. A rejection contains the reason */
  onSave: (price: PricingConfig | null) => Promise<void>
}

export function PriceDialog({ provider, model, onClose, onSave }: Props) {
  const { slug } = model
  const own = pricesOf(model.pricing_config)
  const listed = useQuery(
    urlOf('/v1/model-configs/pricing/{provider}/{model}', { path: { provider, model: slug } }),
  )
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(
    Object.fromEntries(classes.map(([name]) => [name, dollarsOf(own, name)])),
  )
  const [faulty, setFaulty] = useState<readonly string[]>([])
  const save = async () => {
    const wrong = classes
      .map(([name]) => name)
      .filter((name) => texts[name] !== '' && !(Number(texts[name]) >= 0))
    setFaulty(wrong)
    if (wrong.length > 0) return
    // Prices without a field here stay unchanged.
    const prices: Prices = { ...own }
    for (const [name] of classes) {
      const text = (texts[name] ?? '').trim()
      if (text === '') delete prices[name]
      else prices[name] = { price: Number(text) / dollarsPerMillion }
    }
    await onSave(Object.keys(prices).length === 0 ? null : { type: 'static', pay_as_you_go: prices })
  }
  const list: Prices = listed.data?.pay_as_you_go ?? {}
  return (
    <FormDialog
      title={`Price of ${slug}`}
      action="Save"
      onSend={save}
      onClose={onClose}
      isShownAtOnce
      others={(send) =>
        model.pricing_config !== null && (
          <button type="button" onClick={() => send(() => onSave(null))}>
            Use the list price
          </button>
        )
      }
    >
      {() => (
        <>
          <p class="about">US dollars for a million tokens. A price that you set replaces the list price.</p>
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
        </>
      )}
    </FormDialog>
  )
}
