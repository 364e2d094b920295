import type { ComponentChildren } from 'preact'

interface Props {
  children: ComponentChildren
  onRetry?: (() => void) | undefined
}

/** What went wrong, told at once to readers of the screen. */
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
