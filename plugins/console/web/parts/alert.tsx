import type { ComponentChildren } from 'preact'

interface Props {
  children: ComponentChildren
  onRetry?: (() => void) | undefined
}

/** An error that screen readers announce immediately. */
export const Alert = ({ children, onRetry }: Props) => (
  <div role="alert" class="alert">
    <p>{children}</p>
    {onRetry !== undefined && (
      <button type="button" onClick={onRetry}>
        Retry
      </button>
    )}
  </div>
)
