/** A provider's remaining rate limits, in words: `4 of 10 requests left`. */
interface Limit {
  measure: string
  limit: number | null
  left: number
}

const number = (value: number) => value.toLocaleString('en')

export const leftText = (limits: readonly Limit[]): string =>
  limits
    .map(({ measure, limit, left }) => {
      const of = limit === null ? '' : ` of ${number(limit)}`
      return `${number(left)}${of} ${measure.replace('_', ' ')} left`
    })
    .join(', ')
