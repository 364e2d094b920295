import type { ComponentChildren } from 'preact'

interface Props {
  children: ComponentChildren
  onRetry?: (() => void) | undefined
}

/** An error, announced immediately to screen readers. */
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
