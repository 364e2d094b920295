/** What a text field proposes: values, with their words where they have some. */
import type { Proposed } from '../resources/declare.ts'

export const Proposals = ({
  id,
  proposed = [],
}: {
  id: string
  proposed?: readonly Proposed[] | undefined
}) =>
  proposed.length === 0 ? null : (
    <datalist id={id}>
      {proposed.map((one) => {
        const [value, label] = typeof one === 'string' ? [one] : one
        return <option key={value} value={value} label={label} />
      })}
    </datalist>
  )
